"""Whole recordings: coding and learning waveforms at any time, the events, and chunks."""

from __future__ import annotations

from functools import cache, partial

from wfdb.processing import XQRS

from benchmarks import lgcd, spikes
from benchmarks.data import Floats
from benchmarks.harness import LIMIT, Row, Section, Table, interleave
from benchmarks.matching import matched, score
from orbitdl import WaveformLearning
from orbitdl.datasets import load_ecg
from orbitdl.domains.time.chunks import code_recording, split_recording
from orbitdl.domains.time.coder import RecordingCoder
from orbitdl.domains.time.inputs import ready
from orbitdl.domains.time.signal import Signal
from orbitdl.domains.time.waveforms import Waveforms

LENGTH, ITERATIONS, GAP, ALPHA = 201, 10, 1e-4, 1.0
CODING, LEARNING = 0.3, 5.0
"""Limits in seconds, for half an hour of recording."""
NEAR = 0.05
"""Seconds within which an event is the beat that another detector found."""
SMALL = 2**15
"""Samples of a chunk, where a recording is cut into many."""


def run(quick: bool) -> Section:
    """Run all rows; quick: ten minutes instead of half an hour, and a third of the spikes."""
    minutes, repeats = (10, 1) if quick else (30, 3)
    x, sfreq = recording(minutes)
    rows = [row for alpha in (ALPHA, "auto") for row in ecg_rows(x, minutes, alpha, repeats)]
    heard = spikes.listen(20.0 if quick else 60.0)
    rows += [
        spikes.speed_row(heard, repeats),
        *lgcd.rows(x, learned(minutes, ALPHA), ALPHA, repeats),
    ]
    tables = [beats_table(x, sfreq), spikes.table(heard), chunks_table(x, learned(minutes, ALPHA))]
    note = f"Record 100, lead 0, {minutes} minutes; waveforms of {LENGTH} samples. {lgcd.absence()}"
    return Section("Recordings", rows, tables, note.strip())


@cache
def recording(minutes: int) -> tuple[Floats, float]:
    """Return record 100, lead 0, and its samples per second."""
    whole = load_ecg("100")
    return whole.signal[: int(60 * minutes * whole.sfreq)], float(whole.sfreq)


def learn(x: Floats, alpha: float | str) -> WaveformLearning:
    """Learn two waveforms from one start, for ten iterations at most."""
    return WaveformLearning(
        2, LENGTH, alpha=alpha, tol=GAP, n_restarts=1, random_state=0,
        callback=lambda iteration: iteration.number == ITERATIONS,noise="white"
    ).fit(x)  # fmt: skip


@cache
def learned(minutes: int, alpha: float | str) -> WaveformLearning:
    """Return what ten iterations give at most."""
    return learn(recording(minutes)[0], alpha)


def ecg_rows(x: Floats, minutes: int, alpha: float | str, repeats: int) -> list[Row]:
    """Compare coding and learning with their limits."""
    model = learned(minutes, alpha)
    jobs = {"code": partial(model.encode, x, tol=GAP), "learn": partial(learn, x, alpha)}
    times = interleave(jobs, repeats)
    codes, again = times["code"].result, times["learn"].result
    which = f"alpha={model.alpha_:g}" + (" (automatic)" if alpha == "auto" else "")
    found = (
        f"{len(codes.atoms.time)} atoms, gap {codes.gap.max():.1e}, "
        f"objective {codes.objective.sum():.6g}"
    )
    chosen = ", choosing alpha included" if alpha == "auto" else ""
    short = minutes / 30
    return [
        Row(
            f"{minutes} minutes coded cold to gap {GAP:g}, 2 waveforms, {which}, with certificate",
            times["code"].median, LIMIT, CODING * short, 1.0, at_least=False, accuracy=found,
        ),
        Row(
            f"{minutes} minutes, 2 waveforms, {which}, learned from one start{chosen}",
            times["learn"].median, LIMIT, LEARNING * short, 1.0, at_least=False,
            accuracy=f"objective {again.history_[-1].objective:.6g}", note=ended(again),
        ),
    ]  # fmt: skip


def ended(model: WaveformLearning) -> str:
    """Say after how many iterations learning ended, and why."""
    why = "the objective stood still" if model.n_iter_ < ITERATIONS else "as many as asked for"
    return f"{model.n_iter_} iterations: {why}"


def beats_table(x: Floats, sfreq: float) -> Table:
    """Compare the events of one waveform, all automatic, with a detector of heart beats."""
    model = WaveformLearning(1, LENGTH, random_state=0, noise="white").fit(x)
    events = model.events(x, sfreq)["sample"].to_numpy()
    detector = XQRS(sig=x, fs=sfreq)
    detector.detect(verbose=False)
    beats = detector.qrs_inds.astype(float)
    pairs = matched(events, beats, NEAR * sfreq)
    twice = sum(int((abs(events - beat) <= NEAR * sfreq).sum() > 1) for beat in beats)
    columns = "alpha", "beats of XQRS", "events", f"F1 within {1000 * NEAR:.0f} ms", "listed twice"
    f1 = score(len(pairs), len(events), len(beats))
    cells = f"{model.alpha_:g}", f"{len(beats)}", f"{len(events)}", f"{f1:.4f}", f"{twice}"
    return Table("Heart beats: one waveform, all automatic", columns, [cells])


def chunks_table(x: Floats, model: WaveformLearning) -> Table:
    """Compare the objectives of a recording in many chunks and in one."""
    signal = ready(Signal(x), LENGTH, detrend=True)
    waveforms = Waveforms(model.coefficients_[:, :, None])
    cells = []
    for gap in (1e-4, 1e-6):
        coder = RecordingCoder(waveforms, model.alpha_, gap)
        many, one = (split_recording(signal, LENGTH, size) for size in (SMALL, len(x)))
        coded = (code_recording(chunks, coder).codes(coder) for chunks in (many, one))
        ends = [float(codes.objective.sum()) for codes in coded]
        apart = abs(ends[0] - ends[1]) / ends[1]
        cells.append((f"{gap:g}", f"{len(many)}", *(f"{e:.9g}" for e in ends), f"{apart:.1e}"))
    columns = "gap asked for", "chunks", "objective", "objective of one chunk", "apart"
    return Table("In chunks, and as a whole", columns, cells)
