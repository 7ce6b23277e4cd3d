"""Model files: a fitted estimator in one file, and back.

The file is in the safetensors format: arrays, and one JSON text with format and version, group,
shape of a data point, parameters, what the fit found, preprocessing and provenance. Reading checks
all of it before anything is built, finds classes by name in a table and executes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from types import NoneType
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from orbitdl.estimator import OrbitDictionaryLearning
from orbitdl.learning.history import COLUMNS, History
from orbitdl.storage.container import Header, ModelFileError, Tensors, as_path, read, write
from orbitdl.storage.descriptions import (
    arrays_of,
    checked,
    checked_array,
    coder_from,
    describe,
    group_from,
    plain,
    require_moderate,
)
from orbitdl.validation import as_components, require_positive

KIND, VERSION = "model file", 2

HEADER: dict[str, tuple[type, ...]] = {
    "format": (str,),
    "version": (int,),
    "group": (dict,),
    "shape": (list,),
    "parameters": (dict,),
    "fitted": (dict,),
    "preprocessing": (dict,),
    "provenance": (dict,),
}
PARAMETERS: dict[str, tuple[type, ...]] = {
    "n_components": (int,),
    "alpha": (float, int, str),
    "max_iter": (int,),
    "tol": (float, int),
    "coder": (dict, NoneType),
    "init": (str, NoneType),  # None: the array of that name
    "n_restarts": (int,),
    "random_state": (int, NoneType),
    "n_jobs": (int, NoneType),
    "verbose": (int, bool),
    "normalise_after": (bool,),
}
FITTED: dict[str, tuple[type, ...]] = {
    "alpha": (float, int),
    "n_iter": (int,),
    "converged": (bool,),
    "n_features_in": (int,),
    "feature_names_in": (list, NoneType),
}
FITTED_ATTRIBUTES = ["components_", "alpha_", "history_", "n_iter_", "converged_", "provenance_"]


def save(
    model: OrbitDictionaryLearning,
    path: str | PathLike[str],
    *,
    preprocessing: Mapping[str, Any] | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> None:
    """Write a fitted model to one file; see `OrbitDictionaryLearning.save`."""
    check_is_fitted(model, FITTED_ATTRIBUTES)
    place = as_path(path)
    try:
        header, tensors = _describe(model)
        if preprocessing is not None:
            header["preprocessing"] = plain(preprocessing)
        header["provenance"] |= plain({} if provenance is None else provenance)
        _build(header, tensors)  # what cannot be read is not written
    except ValueError as error:
        raise ModelFileError(f"this model cannot be saved: {_reason(error)}.") from error
    write(place, header, tensors)


def load(path: str | PathLike[str]) -> OrbitDictionaryLearning:
    """Read a model file and return the fitted estimator.

    Parameters
    ----------
    path : path-like
        What `OrbitDictionaryLearning.save` wrote.

    Raises
    ------
    ModelFileError
        A ValueError that says in a sentence what is wrong: the file is missing, cut short,
        damaged, something else, or from a newer version. Nothing in it is ever executed.

    Examples
    --------
    >>> import tempfile
    >>> from orbitdl.datasets import make_shift_data
    >>> X = make_shift_data(n_samples=50, length=20, random_state=0).X
    >>> model = OrbitDictionaryLearning(n_components=2, alpha=0.4, random_state=0).fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(f"{folder}/waves.safetensors", preprocessing={"rate": 360.0})
    ...     again = load(f"{folder}/waves.safetensors")
    >>> bool((again.transform(X) == model.transform(X)).all())
    True
    >>> again.preprocessing_
    {'rate': 360.0}
    """
    place = as_path(path)
    header, tensors = read(place, KIND, VERSION)
    try:
        return _build(header, tensors)
    except (ValueError, OverflowError, MemoryError) as error:
        raise ModelFileError(
            f"{path} is not a sound model file: {_reason(error)}; save the model again."
        ) from error


def _describe(model: OrbitDictionaryLearning) -> tuple[Header, Tensors]:
    """Return header and arrays of a fitted model."""
    model._check_parameters()
    group, parameters = model._group(), _parameters(model)
    names = getattr(model, "feature_names_in_", None)
    header: Header = {
        "format": f"orbitdl {KIND}",
        "version": VERSION,
        "group": describe(group),
        "shape": plain(model.components_.shape[1:]),
        "parameters": parameters,
        "fitted": {
            "alpha": plain(model.alpha_),
            "n_iter": int(model.n_iter_),
            "converged": bool(model.converged_),
            "n_features_in": int(model.n_features_in_),
            "feature_names_in": None if names is None else plain(list(names)),
        },
        "preprocessing": plain(model.preprocessing_),
        "provenance": plain(model.provenance_),
    }
    tensors = {
        "components": model.components_,
        "starts": model.starts_,
        **{f"history.{name}": array for name, array in model.history_.to_arrays().items()},
        **{f"group.{name}": array for name, array in arrays_of(group).items()},
    }
    if parameters["init"] is None:
        tensors["init"] = as_components(model.init, "init")
    return header, tensors


def _parameters(model: OrbitDictionaryLearning) -> Header:
    values = {name: getattr(model, name) for name in PARAMETERS}
    values["tol"] = float(model.tol)
    if not isinstance(model.alpha, str):
        values["alpha"] = float(model.alpha)
    values["coder"] = None if model.coder is None else describe(model.coder)
    values["init"] = model.init if isinstance(model.init, str) else None
    seed = model.random_state
    values["random_state"] = seed if isinstance(seed, int | np.integer) else None
    values["normalise_after"] = bool(model.normalise_after)
    return {name: plain(value) for name, value in values.items()}


def _build(header: Header, tensors: Tensors) -> OrbitDictionaryLearning:
    """Check header and arrays completely and return the model they describe."""
    header, tensors = _brought_up_to_date(checked(header, HEADER, "the header"), tensors)
    parameters = checked(header["parameters"], PARAMETERS, "the parameters")
    fitted = checked(header["fitted"], FITTED, "the results")
    shape = _shape(header["shape"])
    arrays = _group_arrays(tensors, {"init"} if parameters["init"] is None else set())
    components = checked_array(tensors, "components", (parameters["n_components"], *shape))
    columns = {name: tensors[f"history.{name}"] for name in COLUMNS}
    model = _estimator(parameters, group_from(header["group"], arrays), tensors, shape)
    model.components_, model._n_features_out = as_components(components), len(components)
    model.alpha_ = require_positive(fitted["alpha"], "alpha")
    model.starts_ = checked_array(tensors, "starts", (tensors["starts"].size,))
    model.history_ = History.from_arrays(columns, fitted["n_iter"] + 1)
    model.n_iter_, model.converged_ = fitted["n_iter"], fitted["converged"]
    model.n_features_in_ = _features(model, fitted, shape)
    model.preprocessing_ = plain(header["preprocessing"])
    model.provenance_ = plain(header["provenance"])
    return model


def _brought_up_to_date(header: Header, tensors: Tensors) -> tuple[Header, Tensors]:
    """Return header and arrays as this version writes them.

    In version 1 alpha was always a number, and how the starts compared was not kept.
    """
    if header["version"] > 1:
        return header, tensors
    alpha = header["parameters"].get("alpha")
    fitted = {**header["fitted"], "alpha": alpha}
    return {**header, "fitted": fitted}, {**tensors, "starts": np.zeros(0)}


def _shape(sizes: list[Any]) -> tuple[int, ...]:
    if not sizes or not all(type(size) is int and size > 0 for size in sizes):
        raise ValueError("the shape of a data point is not a list of positive whole numbers")
    return tuple(sizes)


def _group_arrays(tensors: Tensors, others: set[str]) -> Tensors:
    """Return the group's arrays, if besides them there are exactly those every model has."""
    expected = {"components", "starts", *(f"history.{name}" for name in COLUMNS), *others}
    if missing := expected - set(tensors):
        raise ValueError(f"it lacks the array {min(missing)}")
    rest = {name: tensors[name] for name in set(tensors) - expected}
    if odd := {name for name in rest if not name.startswith("group.")}:
        raise ValueError(f"it has an unknown array {min(odd)[:40]!r}")
    return {name.removeprefix("group."): array for name, array in rest.items()}


def _estimator(
    parameters: Header, group: Any, tensors: Tensors, shape: tuple[int, ...]
) -> OrbitDictionaryLearning:
    """Return the estimator, not yet fitted, if it could be fitted on data of this shape."""
    q, seed, init = (parameters[name] for name in ("n_components", "random_state", "init"))
    if init is None:
        init = checked_array(tensors, "init", (q, *shape))
    elif init not in ("data", "random"):
        raise ValueError(f"there is no start of the name {init[:40]!r}")
    if seed is not None and not 0 <= seed < 2**32:
        raise ValueError(f"{seed} cannot be a random_state")
    coder = coder_from(parameters["coder"])
    model = OrbitDictionaryLearning(**{**parameters, "group": group, "coder": coder, "init": init})
    model._check_parameters()
    representation = group.on(shape)
    require_moderate(representation, coder, q)
    if coder is not None and not coder.serves(representation):
        raise ValueError(f"{type(coder).__name__} does not serve {group.name}")
    return model


def _features(model: OrbitDictionaryLearning, fitted: Header, shape: tuple[int, ...]) -> int:
    """Return the number of features, and name them if they have names."""
    count, names = fitted["n_features_in"], fitted["feature_names_in"]
    if count != shape[0]:
        raise ValueError(f"the number of features is not {shape[0]}")
    if names is not None:
        if len(names) != count or not all(type(name) is str for name in names):
            raise ValueError("feature_names_in is not a list of one name a feature")
        model.feature_names_in_ = np.array(names, dtype=object)
    return int(count)


def _reason(error: Exception) -> str:
    text = str(error) or "it does not fit into memory"
    return text.rstrip(".").replace("\n", " ")
