"""A recording: samples in time, in memory or not, and what is known of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orbitdl.arrays.validation import require_count, require_positive
from orbitdl.groups.base import Floats
from orbitdl.io.channels import channel_index
from orbitdl.io.dialect import Dialect
from orbitdl.io.enumerations import member
from orbitdl.io.layout import Kind, Layout
from orbitdl.io.lazy import Columns, Joined, Mean, is_lazy
from orbitdl.io.time_units import TimeUnit

FEW, LONG = 8, 1000
"""Columns at most of a table, or an array of so many rows, that is a recording by default."""


@dataclass(frozen=True, eq=False)
class Recording:
    """A recording: samples in time, and what is known of them.

    It is an array of its samples: ``recording[first:last]`` reads only these, ``len(recording)``
    and ``recording.shape`` read nothing, ``np.asarray(recording)`` reads all. Estimators, plots and
    reports take it, and use what it knows.

    Attributes
    ----------
    signal : array-like of shape (n_times,) or (n_times, n_channels)
        Samples, NaN where missing: an array, or anything of that shape that can be sliced, such as
        a memory map or an array of h5py or zarr. A file may hold windows, (n_windows, length) or
        (n_windows, length, n_channels), which are not split.
    sfreq : float or None
        Sampling rate in Hz, if known.
    ch_names : tuple of str
        Channel names, or empty.
    kind : Kind
        Meaning of the rows of `signal`.
    dialect : Dialect or None
        Dialect of a text table.
    first_sample : int or None
        For excerpts: number of samples of the whole recording before `signal`; events count from
        the start of the whole recording.
    time_column : int or None
        Index of the time column that was removed; channel numbers include it, as in the file.
    time_unit : TimeUnit or None
        Unit of the numbers in that column; None for dates or without such a column.
    units : tuple of str
        Physical units of the channels, such as "mV", or empty.
    ch_types : tuple of str
        Types of the channels, such as "eeg" or "ecg", or empty.

    Examples
    --------
    >>> recording = Recording(np.zeros((1000, 2)), sfreq=250.0, ch_names=("I", "V1"))
    >>> recording.shape, recording.sfreq, recording.ch_names
    ((1000, 2), 250.0, ('I', 'V1'))
    >>> recording.pick("V1").excerpt(100, 300)
    <Recording: 200 samples (0.8 s) of 1 channel (V1) at 250 Hz, from sample 100 on>
    """

    signal: Any
    sfreq: float | None = None
    ch_names: tuple[str, ...] = ()
    kind: Kind = Kind.samples
    dialect: Dialect | None = None
    first_sample: int | None = None
    time_column: int | None = None
    time_unit: TimeUnit | None = None
    units: tuple[str, ...] = ()
    ch_types: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not (hasattr(self.signal, "shape") and hasattr(self.signal, "dtype")):
            object.__setattr__(self, "signal", np.asarray(self.signal))
        if self.sfreq is not None:
            object.__setattr__(self, "sfreq", float(require_positive(self.sfreq, "sfreq")))
        for name in ("ch_names", "units"):
            words = tuple(map(str, getattr(self, name)))
            object.__setattr__(self, name, words)
            if words and self.kind is Kind.samples and len(words) != self.n_channels:
                raise ValueError(
                    f"{name} has {len(words)} entries, and the recording {self.n_channels} "
                    "channels; pass one for each."
                )

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the signal."""
        return tuple(map(int, self.signal.shape))

    @property
    def ndim(self) -> int:
        """Number of axes of the signal."""
        return len(self.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the stored samples; slices are floats."""
        return np.dtype(getattr(self.signal, "dtype", np.float64))

    @property
    def n_channels(self) -> int:
        """Number of channels."""
        return self.shape[1] if self.ndim == 2 else 1

    @property
    def unit(self) -> str | None:
        """The unit of all channels; None if it is not known, or differs between them."""
        return self.units[0] if len(set(self.units)) == 1 else None

    @property
    def duration(self) -> float | None:
        """Duration in seconds; None if the sampling rate is not known."""
        return len(self) / self.sfreq if self.sfreq else None

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> Floats:
        return np.asarray(self.signal[key], dtype=np.float64)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.asarray(self.signal, dtype=dtype)

    def __repr__(self) -> str:
        names = ", ".join(self.ch_names[:3]) + (", ..." if len(self.ch_names) > 3 else "")
        seconds = f" ({self.duration:.6g} s)" if self.sfreq else ""
        channels = f"{self.n_channels} channel{'s' * (self.n_channels != 1)}"
        facts = [
            f"{len(self)} samples{seconds} of {channels}{f' ({names})' if names else ''}"
            + (f" at {self.sfreq:g} Hz" if self.sfreq else ""),
            *([self.unit] if self.unit else []),
            *([f"from sample {self.first_sample} on"] if self.first_sample else []),
        ]
        return f"<{type(self).__name__}: {', '.join(facts)}>"

    def excerpt(self, begin: int | None = None, end: int | None = None) -> Recording:
        """Return an excerpt; times of its events refer to the whole recording.

        Parameters
        ----------
        begin, end : int, optional
            Half-open range of samples; by default from the start, and to the end.

        Examples
        --------
        >>> part = Recording(np.arange(100.0), sfreq=10.0).excerpt(40, 60)
        >>> len(part), part.first_sample
        (20, 40)
        """
        samples = len(self)
        first = 0 if begin is None else require_count(begin, "begin", least=0)
        after = samples if end is None else require_count(end, "end", least=0)
        if max(first + 1, after) > samples:
            last = after if after > samples else first
            raise ValueError(
                f"an excerpt cannot extend to {self._position(last)}: the recording ends at "
                f"{self._position(samples)}; choose a range within it."
            )
        if after <= first:
            raise ValueError(
                f"an excerpt from {self._position(first)} to {self._position(after)} is empty; "
                "choose an end after the beginning."
            )
        whole, before = self.signal, (self.first_sample or 0) + first
        values = _Slice.of(whole, first, after) if is_lazy(whole) else whole[first:after]
        return _plain(self, signal=values, first_sample=before)

    def pick(self, channels: str | int | Sequence[str | int]) -> Recording:
        """Return some channels, with their names, units and types.

        Parameters
        ----------
        channels : str, int or sequence
            Names or indices from 0, as a sequence or separated by commas, or "mean", the mean of
            all. A single one loses its axis.

        Examples
        --------
        >>> two = Recording(np.outer(np.arange(3.0), [1.0, 10.0]), ch_names=("I", "V1"))
        >>> two.pick("V1")[:]
        array([ 0., 10., 20.])
        """
        several = [channels] if isinstance(channels, str | int) else channels
        named = ",".join(map(str, several))
        if self.ndim < 2:
            raise ValueError(
                f"channel={named!r} needs data with several channels, but these have one; leave it "
                "out."
            )
        index = channel_index(named, self.ch_names, self.n_channels, self.time_column)
        signal = self.signal
        if index is None:
            values: Any = Mean(signal)
        else:
            values = Columns(signal, index[0] if len(index) == 1 else index)
        return _plain(
            self,
            signal=values if is_lazy(signal) else np.ascontiguousarray(values),
            ch_names=_of(index, self.ch_names, "mean"),
            units=_of(index, self.units, self.unit or ""),
            ch_types=_of(index, self.ch_types, "misc"),
            time_column=None,
        )

    def _position(self, sample: int) -> str:
        """Return a description of a position, in seconds too if the sampling rate is known."""
        seconds = f" ({sample / self.sfreq:g} s)" if self.sfreq else ""
        return f"sample {sample}{seconds}"


class _Slice(Joined):
    """Samples `first` to `last` of others, which are read when it is sliced."""

    @classmethod
    def of(cls, values: Any, first: int, last: int) -> _Slice:
        """Return a part of samples."""
        part = cls([values], [-first])
        part.shape = (last - first, *values.shape[1:])
        return part


def _plain(recording: Recording, **changes: Any) -> Recording:
    """Return a changed recording; what a simulator knows beyond it would no longer be true."""
    if type(recording) is Recording:
        return replace(recording, **changes)
    own = {name: getattr(recording, name) for name in Recording.__dataclass_fields__}
    return Recording(**{**own, **changes})


def _of(indices: list[int] | None, values: tuple[str, ...], of_mean: str) -> tuple[str, ...]:
    """Return values of selected channels, or that of their mean; empty if there are none."""
    if not values:
        return ()
    return (of_mean,) if indices is None else tuple(values[k] for k in indices)


def concatenate(recordings: Sequence[Recording], gap: int | None = None) -> Recording:
    """Join recordings of the same channels to one, with missing samples in between.

    Parameters
    ----------
    recordings : sequence of Recording
    gap : int, optional
        Missing samples between one and the next. By default excerpts are placed where they were in
        the whole recording, and others adjoin.

    Examples
    --------
    >>> whole = Recording(np.arange(10.0), sfreq=2.0)
    >>> concatenate([whole.excerpt(1, 3), whole.excerpt(5, 6)])[:]
    array([ 1.,  2., nan, nan,  5.])
    """
    if not recordings:
        raise ValueError("there is nothing to concatenate; pass at least one recording.")
    first = recordings[0]
    for other in recordings[1:]:
        for name in ("sfreq", "ch_names", "units"):
            one, two = getattr(first, name), getattr(other, name)
            if one != two:
                raise ValueError(
                    f"the recordings differ in {name}: {one} and {two}; make them the same first."
                )
        if first.shape[1:] != other.shape[1:]:
            raise ValueError(
                f"the recordings have {first.n_channels} and {other.n_channels} channels; pick the "
                "same ones of each."
            )
    starts = _starts(recordings, gap)
    return _plain(first, signal=Joined([one.signal for one in recordings], starts))


def _starts(recordings: Sequence[Recording], gap: int | None) -> list[int]:
    """Return the first sample of each recording, counted from that of the first."""
    known = [one.first_sample for one in recordings]
    if gap is None and None not in known:
        starts = [int(start or 0) - int(known[0] or 0) for start in known]
        for k in range(1, len(starts)):
            if starts[k] < starts[k - 1] + len(recordings[k - 1]):
                raise ValueError(
                    f"excerpt {k} begins before excerpt {k - 1} ends; pass them in order, without "
                    "overlap, or pass gap=."
                )
        return starts
    between = 0 if gap is None else require_count(gap, "gap", least=0)
    ends = np.cumsum([len(one) + between for one in recordings])
    return [0, *map(int, ends[:-1])]


def is_recording(
    recording: Recording,
    window: int | None = None,
    layout: Layout = Layout.auto,
    shape: tuple[int, ...] | None = None,
) -> bool:
    """Return whether rows are samples in time (True) or windows (False).

    `layout` decides unless it is "auto". Sound, WFDB records and single columns are recordings;
    rows of the shape of a model's data points are windows, and so are arrays of three axes. Other
    arrays are recordings if the length of windows or the sampling rate is known, or if they are
    tables (.csv, .parquet), or have 1000 rows or more, of up to 8 columns.
    """
    requested = member(Layout, layout)
    if requested is not Layout.auto:
        return requested is Layout.recording
    if recording.kind == Kind.samples or recording.ndim == 1:
        return True
    if recording.shape[1:] == shape or (recording.ndim > 2 and window is None):
        return False
    if window is not None or recording.sfreq is not None:
        return True
    is_long = recording.kind == Kind.table or len(recording) >= LONG
    return recording.shape[1] <= FEW and is_long


def as_signal(values: ArrayLike) -> Floats:
    """Return values as floats; raise ValueError for complex or infinite ones."""
    array = np.asarray(values)
    if np.iscomplexobj(array):
        raise ValueError("signal is complex: pass its real and imaginary parts as two channels.")
    array = np.asarray(array, dtype=np.float64)
    if np.isinf(array).any():
        raise ValueError("signal holds infinite values: set them to NaN, which means missing.")
    return array
