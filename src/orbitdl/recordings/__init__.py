"""Recordings: read them from files, cut them into windows, list their events.

A recording is a long signal, in one channel or several. `read` takes it from a file, `suggest_mask`
finds what would spoil it, `prepare` cuts it into windows to learn from or to code,
`Windows.restore` puts windows back together, and `event_table` says what happened when. What
``orbitdl encode`` writes is made by the same functions.

The names below are imported when first used, so that the command line can say what it offers at
once.

Examples
--------
>>> from orbitdl import OrbitDictionaryLearning
>>> from orbitdl.datasets import make_ecg_like
>>> from orbitdl.groups import ContinuousShift
>>> from orbitdl.recordings import Preprocessing, Recording, event_table, prepare
>>> heart = make_ecg_like(n_windows=30, noise=0.0, drift=0.0, random_state=0)
>>> recording = Recording(heart.signal, heart.rate)
>>> windows = prepare(recording, Preprocessing(window=128, step=64))
>>> model = OrbitDictionaryLearning(2, ContinuousShift(), alpha=0.2, max_iter=5, random_state=0)
>>> codes = model.set_params(tol=0.05).fit(windows.values).encode(windows.values)
>>> list(event_table(codes, model.components_, windows))
['onset', 'sample', 'window', 'component', 'shift', 'coefficient']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from orbitdl.lazy import lazily

if TYPE_CHECKING:
    from orbitdl.recordings.artefacts import Artefact
    from orbitdl.recordings.dialect import Decimal, Dialect, Separator
    from orbitdl.recordings.events import event_table
    from orbitdl.recordings.layout import Kind, Layout
    from orbitdl.recordings.new_data import prepare_for, prepare_signal_for
    from orbitdl.recordings.prepared_signal import PreparedSignal, prepare_signal
    from orbitdl.recordings.preparing import prepare
    from orbitdl.recordings.preprocessing import Preprocessing
    from orbitdl.recordings.reading import read
    from orbitdl.recordings.recording import Recording
    from orbitdl.recordings.suggested_mask import SuggestedMask, suggest_mask
    from orbitdl.recordings.time_units import TimeUnit
    from orbitdl.recordings.unreadable import UnreadableError
    from orbitdl.recordings.waveform_tables import waveform_table
    from orbitdl.recordings.wfdb_annotations import annotation_file
    from orbitdl.recordings.windows import Windows

__all__ = [
    "Artefact",
    "Decimal",
    "Dialect",
    "Kind",
    "Layout",
    "PreparedSignal",
    "Preprocessing",
    "Recording",
    "Separator",
    "SuggestedMask",
    "TimeUnit",
    "UnreadableError",
    "Windows",
    "annotation_file",
    "event_table",
    "prepare",
    "prepare_for",
    "prepare_signal",
    "prepare_signal_for",
    "read",
    "suggest_mask",
    "waveform_table",
]

_HOME = {
    "Artefact": "artefacts",
    "Decimal": "dialect",
    "Dialect": "dialect",
    "Kind": "layout",
    "Layout": "layout",
    "PreparedSignal": "prepared_signal",
    "Preprocessing": "preprocessing",
    "Recording": "recording",
    "Separator": "dialect",
    "SuggestedMask": "suggested_mask",
    "TimeUnit": "time_units",
    "UnreadableError": "unreadable",
    "Windows": "windows",
    "annotation_file": "wfdb_annotations",
    "event_table": "events",
    "prepare": "preparing",
    "prepare_for": "new_data",
    "prepare_signal": "prepared_signal",
    "prepare_signal_for": "new_data",
    "read": "reading",
    "suggest_mask": "suggested_mask",
    "waveform_table": "waveform_tables",
}

__getattr__, __dir__ = lazily(globals(), _HOME)
