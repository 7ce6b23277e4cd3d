"""Times, durations and rates as a report writes them."""

from __future__ import annotations

from dataclasses import dataclass

from orbitdl.groups.presentation import NO_BREAK
from orbitdl.report.phrasing import count, number


@dataclass(frozen=True)
class Clock:
    """Times from the start of the whole recording.

    Attributes
    ----------
    sfreq : float or None
        Sampling rate in Hz. Without it, times are numbers of samples.

    Examples
    --------
    >>> Clock(100.0).time(372_512.0), Clock(None).time(52.26)
    ('1:02:05.1', '52.3')
    >>> Clock(100.0).span(125.0).replace(NO_BREAK, " "), Clock(None).span(125.0)
    ('1.25 s', '125 samples')
    """

    sfreq: float | None

    def time(self, sample: float) -> str:
        """Return the time of a sample as h:mm:ss.s, or its number."""
        if self.sfreq is None:
            return f"{sample:.1f}".removesuffix(".0")
        digits = 3 if self.sfreq > 2000 else 1
        seconds, rest = divmod(max(round(sample / self.sfreq * 10**digits), 0), 10**digits)
        hours, minutes = seconds // 3600, seconds // 60 % 60
        return f"{hours}:{minutes:02d}:{seconds % 60:02d}.{rest:0{digits}d}"

    def span(self, samples: float) -> str:
        """Return a short duration, with a few digits."""
        if self.sfreq is None:
            return count(float(f"{samples:.4g}"), "sample")
        seconds = samples / self.sfreq
        if seconds < 0.1:
            return f"{number(float(f'{1000 * seconds:.3g}'))}{NO_BREAK}ms"
        return f"{number(float(f'{seconds:.3g}'))}{NO_BREAK}s"

    def duration(self, samples: int) -> str:
        """Return the duration of a recording: "24 h 0 min", "1 min 5 s", "3.5 s", "900 samples"."""
        if self.sfreq is None:
            return count(samples, "sample")
        seconds = round(samples / self.sfreq)
        if seconds < 60:
            return self.span(samples)
        large, small, units = seconds // 60, seconds % 60, ("min", "s")
        if seconds >= 3600:
            large, small, units = seconds // 3600, seconds // 60 % 60, ("h", "min")
        return f"{large}{NO_BREAK}{units[0]} {small}{NO_BREAK}{units[1]}"

    def frequency(self, interval: float) -> str:
        """Return the rate of events at an interval in samples."""
        if self.sfreq is None:
            return f"one every {self.span(interval)}"
        rate = self.sfreq / interval
        if rate >= 10:
            return f"{number(float(f'{rate:.3g}'))} per second"
        return f"{number(float(f'{60 * rate:.3g}'))} per minute"
