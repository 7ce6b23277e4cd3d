"""How recordings were acquired: sampling rate, channels, units and scale, which models compare."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

SAME = 1e-3
"""Rates that differ by a smaller fraction are one, written with few digits."""
FACTOR = 50.0
"""Between scales that are of different units, most likely."""
ENOUGH = 2**16
"""Samples that the scale is estimated from at most."""
EXCERPTS = 32
"""Parts of a recording that these are from, if it is longer."""


def acquisition_of(
    signal: Any,
    sfreq: float | None = None,
    ch_names: tuple[str, ...] = (),
    units: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Return what is known of a recording (T,) or (T, channels), as a model stores it.

    The scale of a channel is robust: from its 1st to its 99th percentile.

    Examples
    --------
    >>> acquisition_of(np.arange(101.0), sfreq=250.0, units=("mV",))
    {'sfreq': 250.0, 'units': ['mV'], 'scale': [98.0]}
    """
    known = {"sfreq": sfreq, "ch_names": [*ch_names], "units": [*units], "scale": _scales(signal)}
    return {name: value for name, value in known.items() if value}


def acquired(recording: Any) -> dict[str, Any]:
    """Return what is known of a `io.Recording`, or of several; of arrays nothing."""
    several = recording if isinstance(recording, list | tuple) else [recording]
    known = [_of(one) for one in several if _is_recording(one)]
    for other in known[1:]:
        rates = known[0].get("sfreq"), other.get("sfreq")
        if _differ(*rates):
            raise ValueError(
                f"the recordings have sampling rates of {rates[0]:g} and {rates[1]:g} Hz; resample "
                "them to one."
            )
        compare(known[0], other)
    return known[0] if known else {}


def no_rate_of(recording: Any) -> bool:
    """Return whether no recording says what its sampling rate is."""
    several = recording if isinstance(recording, list | tuple) else [recording]
    return all(getattr(one, "sfreq", None) is None for one in several)


def compare_with(learned: Mapping[str, Any], recording: Any) -> None:
    """Compare recordings with what a model learned from; see `compare`. Arrays say nothing."""
    for one in recording if isinstance(recording, list | tuple) else [recording]:
        if _is_recording(one):
            compare(learned, _of(one))


def compare(learned: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    """Refuse another sampling rate; warn of other units, channel names, or another scale."""
    require_same_rate(learned.get("sfreq"), found.get("sfreq"), "resample the recording")
    for name, what in (("units", "in"), ("ch_names", "in channels")):
        before, now = (", ".join(side.get(name) or ()) for side in (learned, found))
        if before and now and _plain(before) != _plain(now):
            warnings.warn(
                f"the model was learned from data {what} {before}, and these are {what} {now}; "
                f"{'convert them' if name == 'units' else 'see that they are the same ones'}.",
                stacklevel=2,
            )
            return
    pairs = zip(learned.get("scale") or (), found.get("scale") or (), strict=False)
    ratio = max((now / before for before, now in pairs if now * before > 0), default=1.0, key=_far)
    if _far(ratio) > np.log(FACTOR):
        times = f"{float(f'{ratio:.2g}'):g} times"  # 200 times, not 2e+02
        warnings.warn(
            f"the values are {times} as large as those that the model was learned from; convert "
            "them to the same unit.",
            stacklevel=2,
        )


def require_same_rate(learned: float | None, found: float | None, remedy: str) -> None:
    """Refuse data of another sampling rate than a model was learned at; None is not known."""
    if _differ(learned, found):
        raise ValueError(
            f"the recording has a sampling rate of {found:g} Hz, but the model was learned at "
            f"{learned:g} Hz; {remedy}."
        )


def _differ(a: float | None, b: float | None) -> bool:
    """Return whether two rates are known, and not the same."""
    return bool(a and b and abs(a - b) > SAME * a)


def _is_recording(thing: Any) -> bool:
    shape = getattr(getattr(thing, "signal", None), "shape", None)
    return isinstance(shape, tuple)  # an object of Dask has every attribute, and none is a tuple


def _of(recording: Any) -> dict[str, Any]:
    own = (getattr(recording, name, None) or () for name in ("ch_names", "units"))
    return acquisition_of(recording.signal, getattr(recording, "sfreq", None), *own)


def _scales(signal: Any) -> list[float]:
    """Return the robust scale of each channel, of excerpts if it is long; 0 if it is constant."""
    starts = range(0, len(signal), max(len(signal) // EXCERPTS, 1))
    size = ENOUGH // EXCERPTS
    parts = [signal[:]] if len(signal) <= ENOUGH else [signal[k : k + size] for k in starts]
    some = np.concatenate([np.asarray(part, dtype=np.float64) for part in parts])
    some = some.reshape(len(some), -1)
    some = some[np.isfinite(some).all(axis=1)]
    if not len(some):
        return []
    low, high = np.percentile(some, [1, 99], axis=0)
    return [float(f"{value:.6g}") for value in high - low]


def _far(ratio: float) -> float:
    return abs(float(np.log(ratio)))


def _plain(words: str) -> str:
    """Return names of units or channels as they compare: micro is one letter of several."""
    return words.casefold().replace("\u00b5", "u").replace("\u03bc", "u")
