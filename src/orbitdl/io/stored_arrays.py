"""Named arrays of a file: the choice of one, or of several as channels; HDF5 and Zarr."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from orbitdl.arrays.optional import install_hint
from orbitdl.io.enumerations import printable
from orbitdl.io.layout import Kind
from orbitdl.io.lazy import LazyArray
from orbitdl.io.recording import Recording
from orbitdl.io.unreadable import UnreadableError, parsing

RATES = ("fs", "sfreq", "sampling_rate", "samplingrate", "sample_rate", "samplerate", "srate")
"""Names of numbers that are the sampling rate in Hz, in small letters."""


@dataclass(frozen=True)
class Arrays:
    """Named arrays of a file.

    Attributes
    ----------
    path : Path
    names : sequence of str
    array : callable
        Returns the array of a name, which need not be in memory.
    facts : mapping
        What the file says besides: sampling rate, names and unit of channels.
    """

    path: Path
    names: Sequence[str]
    array: Callable[[str], Any]
    facts: Mapping[str, Any] = field(default_factory=dict)


def recording_of(arrays: Arrays, key: str | None) -> Recording:
    """Return the recording in a file: its only array, or those of the names in `key`."""
    path, named = arrays.path, [name.strip() for name in key.split(",")] if key else []
    for name in named:
        if name not in arrays.names:
            listed = ", ".join(map(printable, arrays.names))
            raise UnreadableError(f"{path} has no array {name!r}; key= must be one of {listed}.")
    facts = {name.lower(): value for name, value in arrays.facts.items()}
    others = [name for name in arrays.names if name.lower() not in RATES]
    if not named:
        if len(others) != 1:
            listed = ", ".join(map(printable, arrays.names))
            raise UnreadableError(
                f"{path} holds {len(arrays.names)} arrays ({listed}); choose one with key=."
            )
        named = others
    values = [_plain(arrays.array(name), path) for name in named]
    facts |= {
        name.lower(): float(np.asarray(arrays.array(name)).squeeze())
        for name in arrays.names
        if name.lower() in RATES and name not in named and np.size(arrays.array(name)) == 1
    }
    rates = {float(facts[name]) for name in RATES if name in facts}
    sfreq = rates.pop() if len(rates) == 1 else None
    if len(values) == 1:
        return Recording(values[0], sfreq, kind=Kind.array, **_labels(facts, values[0].shape))
    lengths = {tuple(value.shape) for value in values}
    if len(lengths) > 1 or len(values[0].shape) != 1:
        shapes = ", ".join(str(tuple(value.shape)) for value in values)
        raise UnreadableError(
            f"the arrays {key} of {path} have shapes {shapes}; choose arrays of one axis and one "
            "length, or a single one."
        )
    return Recording(Stacked(values), sfreq, tuple(map(printable, named)))


class Stacked(LazyArray):
    """Arrays of one axis, side by side as channels."""

    def __init__(self, arrays: Sequence[Any]) -> None:
        self.arrays, self.shape = arrays, (int(arrays[0].shape[0]), len(arrays))

    def _read(self, first: int, last: int) -> Any:
        return np.stack([np.asarray(one[first:last], dtype=np.float64) for one in self.arrays], 1)


def _plain(array: Any, path: Path) -> Any:
    """Return real numbers; axes of length one of an array of two are taken away."""
    require_numbers(array, path)
    shape = tuple(array.shape)
    if len(shape) == 2 and 1 in shape:
        return np.asarray(array).reshape(-1)
    return array


def _labels(facts: Mapping[str, Any], shape: tuple[int, ...]) -> dict[str, Any]:
    """Return names and units of channels, where there is one for each."""
    count = shape[1] if len(shape) == 2 else 1
    names = _words(facts.get("ch_names", facts.get("channels")))
    units = _words(facts.get("units", facts.get("unit")))
    units = units * count if len(units) == 1 else units
    known = {"ch_names": names, "units": units}
    return {name: words for name, words in known.items() if len(words) == count}


def _words(value: Any) -> tuple[str, ...]:
    """Return text, or several texts, of attributes; other things are none."""
    several = [value] if isinstance(value, str | bytes) else value
    if several is None or not np.iterable(several):
        return ()
    texts = (one.decode() if isinstance(one, bytes) else one for one in several)
    return tuple(printable(str(text)) for text in texts if isinstance(text, str))


def require_numbers(array: Any, path: Path) -> None:
    """Raise UnreadableError for an array that does not hold real numbers."""
    kind = getattr(array, "dtype", None)
    if kind is None or np.dtype(kind).kind not in "biuf":
        raise UnreadableError(f"cannot read {path}: it holds {kind}, not real numbers.")


def read_hdf5(path: Path, key: str | None = None) -> Recording:
    """Read a dataset of an HDF5 file, when its samples are needed."""
    try:
        import h5py
    except ImportError as error:
        raise ImportError(install_hint("reading HDF5 files", "h5py", "arrays")) from error
    with parsing(path, "an HDF5 file"):
        file = h5py.File(path, "r")
        names: list[str] = []
        file.visititems(lambda name, thing: names.append(name) if is_data(thing) else None)
        return _with_attributes(path, file, names, key)


def is_data(thing: Any) -> bool:
    """Return whether an object of a file is an array of numbers, and not a group."""
    kind = getattr(thing, "dtype", None)
    return kind is not None and np.dtype(kind).kind in "biuf"


def read_zarr(path: Path, key: str | None = None) -> Recording:
    """Read an array of a Zarr store, when its samples are needed."""
    try:
        import zarr
    except ImportError as error:
        raise ImportError(install_hint("reading Zarr stores", "zarr", "arrays")) from error
    with parsing(path, "a Zarr store"):
        store = zarr.open(str(path), mode="r")
        if is_data(store):
            return recording_of(Arrays(path, ["array"], lambda _: store, dict(store.attrs)), key)
        names = [name for name, thing in store.arrays() if is_data(thing)]
        return _with_attributes(path, store, names, key)


def _with_attributes(path: Path, store: Any, names: list[str], key: str | None) -> Recording:
    """Return the recording of a store whose arrays and whose self may have attributes."""
    chosen = key or (names[0] if len(names) == 1 else "")
    own = dict(store[chosen].attrs) if chosen in names else {}
    return recording_of(Arrays(path, names, lambda name: store[name], {**store.attrs, **own}), key)
