"""From a model file to a fitted estimator."""

from __future__ import annotations

from dataclasses import fields
from os import PathLike
from typing import Any

import numpy as np

from orbitdl.estimators.orbit import OrbitDictionaryLearning
from orbitdl.estimators.waveform import WaveformLearning
from orbitdl.preprocessing.pipeline import from_records
from orbitdl.storage.container import as_path
from orbitdl.storage.model_files import Fitted, ModelFile, Parameters, read_model, unsound
from orbitdl.storage.stored_model import StoredModel
from orbitdl.storage.waveform_files import WaveformFile, WaveformFitted, WaveformParameters


def load(path: str | PathLike[str]) -> OrbitDictionaryLearning | WaveformLearning:
    """Read a model file and return the fitted estimator.

    Parameters
    ----------
    path : path-like
        What `OrbitDictionaryLearning.save` or `WaveformLearning.save` wrote.

    Raises
    ------
    ModelFileError
        A ValueError that says in a sentence what is wrong: the file is missing, cut short,
        damaged, something else, or of another version of the format. Nothing in it is ever
        executed; a group or coder of your own must be imported before.

    Examples
    --------
    >>> import tempfile
    >>> from orbitdl.datasets import make_shift_data
    >>> X = make_shift_data(n_samples=50, length=20, random_state=0).X
    >>> model = OrbitDictionaryLearning(n_components=2, alpha=0.4, random_state=0).fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(f"{folder}/waves.safetensors")
    ...     again = load(f"{folder}/waves.safetensors")
    >>> bool((again.transform(X) == model.transform(X)).all())
    True
    """
    place = as_path(path)
    record = read_model(place)
    try:
        return _waveforms(record) if isinstance(record, WaveformFile) else _orbits(record)
    except (ValueError, OverflowError, MemoryError) as error:
        raise unsound(place, error) from error


def _orbits(record: StoredModel) -> OrbitDictionaryLearning:
    """Return the fitted estimator that a record describes."""
    assert isinstance(record, ModelFile)
    fitted, given = record.fitted, _parameters(record.parameters, record)
    model = OrbitDictionaryLearning(**given, group=record.group)
    _restore(model, record, fitted)
    model.components_, model._n_features_out = record.components, len(record.components)
    model.n_features_in_ = fitted.n_features_in
    if fitted.feature_names_in is not None:
        model.feature_names_in_ = np.array(fitted.feature_names_in, dtype=object)
    return model


def _waveforms(record: WaveformFile) -> WaveformLearning:
    """Return the fitted waveforms that a record describes."""
    model = WaveformLearning(**_parameters(record.parameters, record))
    _restore(model, record, record.fitted)
    u, one_axis = record.coefficients, record.fitted.channels is None
    model.coefficients_ = u[:, :, 0] if one_axis else u
    model.n_components_, model.event_model_ = record.fitted.n_components, record.events
    model._present_components()
    return model


def _parameters(stored: Parameters | WaveformParameters, record: StoredModel) -> dict[str, Any]:
    """Return the parameters of an estimator as they were given."""
    given: dict[str, Any] = {f.name: getattr(stored, f.name) for f in fields(stored)}
    return {**given, "init": stored.init if record.init is None else record.init}


def _restore(model: Any, record: StoredModel, fitted: Fitted | WaveformFitted) -> None:
    """Give a model what every fit leaves."""
    model._check_parameters()
    model.alpha_, model.starts_ = float(fitted.alpha), record.starts
    model.history_, model.codes_ = record.history, None
    model.n_iter_, model.converged_ = fitted.n_iter, fitted.converged
    model.n_steps_ = 0
    model.preprocessing_ = from_records(record.steps)
    model.acquisition_, model.provenance_ = record.acquisition, record.provenance
    model.preprocessing = model.preprocessing_ or None
