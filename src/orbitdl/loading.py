"""From a model file to a fitted estimator."""

from __future__ import annotations

from dataclasses import fields
from os import PathLike
from typing import Any

import numpy as np

from orbitdl.estimator import OrbitDictionaryLearning
from orbitdl.storage.container import as_path
from orbitdl.storage.model_files import ModelFile, read_model, unsound


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
        damaged, something else, or from a newer version. Nothing in it is ever executed; a group
        or coder of your own must be imported before.

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
    record = read_model(place)
    try:
        return _estimator(record)
    except (ValueError, OverflowError, MemoryError) as error:
        raise unsound(place, error) from error


def _estimator(record: ModelFile) -> OrbitDictionaryLearning:
    """Return the fitted estimator that a record describes."""
    stored, fitted = record.parameters, record.fitted
    parameters: dict[str, Any] = {f.name: getattr(stored, f.name) for f in fields(stored)}
    init = stored.init if record.init is None else record.init
    model = OrbitDictionaryLearning(**{**parameters, "group": record.group, "init": init})
    model._check_parameters()
    model.components_, model._n_features_out = record.components, len(record.components)
    model.alpha_, model.starts_ = float(fitted.alpha), record.starts
    model.history_, model.codes_ = record.history, None
    model.n_iter_, model.converged_ = fitted.n_iter, fitted.converged
    model.n_features_in_ = fitted.n_features_in
    if fitted.feature_names_in is not None:
        model.feature_names_in_ = np.array(fitted.feature_names_in, dtype=object)
    model.preprocessing_, model.provenance_ = record.preprocessing, record.provenance
    return model
