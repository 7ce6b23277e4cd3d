"""Readers of sound: .wav by SciPy, .flac, .ogg and .aiff by soundfile."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np

from orbitdl.arrays.optional import install_hint
from orbitdl.io.lazy import ReadBy, Scaled
from orbitdl.io.recording import Recording
from orbitdl.io.stored_arrays import require_numbers
from orbitdl.io.unreadable import UnreadableError, parsing

STREAMED = 2**32 - 1
"""Size field of a streamed WAV file, written before its length was known."""
OTHERS = (".flac", ".ogg", ".aif", ".aiff")
"""Suffixes of files that are given to soundfile."""


def read_wav(path: Path) -> Recording:
    """Read a WAV file; integers are scaled to full scale 1."""
    with parsing(path, "a WAV file"):
        _require_complete(path)
        sfreq, sound = _samples(path)
        require_numbers(sound, path)
    if sound.dtype == np.uint8:
        return Recording(Scaled(sound, 1 / 128, -1.0), sfreq=float(sfreq))
    if sound.dtype.kind == "i":
        return Recording(Scaled(sound, -1 / float(np.iinfo(sound.dtype).min)), sfreq=float(sfreq))
    return Recording(sound, sfreq=float(sfreq))


def _samples(path: Path) -> tuple[int, Any]:
    """Return the rate and the samples, on disk where their size allows it."""
    from scipy.io import wavfile

    try:
        found: tuple[int, Any] = wavfile.read(path, mmap=True)
    except ValueError:  # 24 bits
        found = wavfile.read(path)
    return found


def read_sound(path: Path) -> Recording:
    """Read a file that soundfile reads; full scale is 1."""
    try:
        import soundfile
    except ImportError as error:
        hint = install_hint(f"reading {path.suffix} files", "soundfile", "sound")
        raise ImportError(hint) from error
    with parsing(path, "a sound file"):
        info = soundfile.info(path)
        channels = () if info.channels == 1 else (info.channels,)

    def samples(first: int, last: int) -> Any:
        return soundfile.read(path, start=first, stop=last)[0]

    return Recording(ReadBy((info.frames, *channels), samples), sfreq=float(info.samplerate))


def _require_complete(path: Path) -> None:
    """Raise UnreadableError for a file shorter than its header states."""
    with path.open("rb") as file:
        kind = file.read(12)[:4]
        order: Literal["big", "little"] = "big" if kind == b"RIFX" else "little"
        while kind != b"RF64" and len(head := file.read(8)) == 8:
            size = int.from_bytes(head[4:], order)
            if head[:4] == b"data":
                there = path.stat().st_size - file.tell()
                if there < size < STREAMED:
                    raise UnreadableError(
                        f"{path} is truncated: its header states {size} bytes of samples, but it "
                        f"has {there}; copy it again."
                    )
                return
            file.seek(size + size % 2, 1)
