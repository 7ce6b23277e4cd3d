"""The summary at the top: a few sentences and a few figures."""

from __future__ import annotations

import numpy as np

from orbitdl.report.overview import how_learning_ended
from orbitdl.report.phrasing import bound, comma_list, count, number, percent
from orbitdl.report.recording.facts import RecordingFacts


def paragraphs(facts: RecordingFacts) -> list[str]:
    """Describe the events, how well they explain the recording, and how they were learned."""
    return [_what_was_found(facts), _how_good_it_is(facts), _how_it_was_learned(facts)]


def figures(facts: RecordingFacts) -> list[tuple[str, str]]:
    """Return the key figures with their captions."""
    unusual = int(np.count_nonzero(facts.intervals.unusual))
    return [
        (number(len(facts.events)), "event" if len(facts.events) == 1 else "events"),
        (facts.clock.duration(len(facts.signal)), "of recording"),
        (percent(facts.trace.explained), "of the energy explained"),
        (number(unusual), "unusual interval" if unusual == 1 else "unusual intervals"),
        (bound(float(facts.codes.gap.max())), "certified gap, at most"),
        ("yes" if facts.model.converged_ else "no", "learning converged"),
    ]


def _what_was_found(facts: RecordingFacts) -> str:
    duration = facts.clock.duration(len(facts.signal))
    said = f"In {duration} of recording there are {count(len(facts.events), 'event')}"
    if not len(facts.events):
        return f"In {duration} of recording there are no events.{_what_is_missing(facts)}"
    if len(facts.counts) == 1:
        return f"{said} of one waveform{_how_often(facts, 0)}.{_what_is_missing(facts)}"
    each = (f"{number(n)} of waveform {j}" for j, n in enumerate(facts.counts))
    often = (_how_often(facts, j) for j in range(len(facts.counts)))
    both = [one + two for one, two in zip(each, often, strict=True)]
    overall = f"{' ' if sentence_of_intervals(facts) else ''}{sentence_of_intervals(facts)}"
    return f"{said}: {comma_list(both)}.{overall}{_what_is_missing(facts)}"


def sentence_of_intervals(facts: RecordingFacts) -> str:
    """Describe the interval between consecutive events of any waveform."""
    known = facts.events["interval"].dropna()
    often = _typically(facts, float(known.median()) if len(known) else np.nan)
    return f"From one event to the next, of any waveform: {often}." if often else ""


def _how_often(facts: RecordingFacts, j: int) -> str:
    often = _typically(facts, facts.intervals.median[j])
    return f" ({often})" if often else ""


def _typically(facts: RecordingFacts, interval: float) -> str:
    """Describe a median interval, also as a rate; empty if unknown."""
    if np.isnan(interval):
        return ""
    often = f"typically {facts.clock.frequency(interval)}"
    return (
        often
        if facts.clock.sfreq is None
        else (f"{often}: median interval {facts.clock.span(interval)}")
    )


def _what_is_missing(facts: RecordingFacts) -> str:
    gone = int((facts.missing[:, 1] - facts.missing[:, 0]).sum())
    if gone == 0:
        return ""
    where = count(len(facts.missing), "stretch", "segments")
    return f" {percent(gone / len(facts.signal))} of the samples are missing, in {where}."


def _how_good_it_is(facts: RecordingFacts) -> str:
    trend = ", slow drift apart" if facts.model.detrend else ""
    code = "The code they are taken from" if facts.model.event_model_ is None else "A sparse code"
    return (
        f"The events explain {percent(facts.trace.explained)} of the energy of the "
        f"recording{trend}.{_how_sure(facts)} {code} is certified: with these waveforms and "
        "this alpha, no other code of the whole recording lowers the objective by more than "
        f"{bound(float(facts.codes.gap.max()))}."
    )


def _how_sure(facts: RecordingFacts) -> str:
    """Return the median standard errors of events, if known."""
    if "sample_sd" not in facts.events or not len(facts.events):
        return ""
    time = facts.clock.span(float(facts.events["sample_sd"].median()))
    relative = (facts.events["amplitude_sd"] / facts.events["amplitude"].abs()).median()
    return (
        f" Their median standard errors are {time} in time and {percent(float(relative))} in "
        "amplitude; by the noise model at most "
        f"{percent(facts.events.attrs['fdr'])} of them are false, by decoys about "
        f"{sum(facts.events.attrs['decoys'])}."
    )


def noise_sentences(facts: RecordingFacts) -> str:
    """Describe the noise model and the noise level of the recording."""
    if facts.noise is None or facts.model.event_model_ is None:
        return ""
    background, level = facts.model.event_model_.background, facts.noise[1]
    unit = f" {facts.unit}" if facts.unit else ""
    scales = comma_list([f"{scale:.3g}{unit}" for scale in background.scale])
    return (
        f"The background is an autoregressive process of order {background.order}. What it leaves "
        f"unpredicted from one sample to the next has a standard deviation of {scales}. In this "
        f"recording the noise level is {np.median(level):.2f} times that, median over time, and at "
        f"most {level.max():.2g} times. Thresholds, p-values and standard errors follow it."
    )


def _how_it_was_learned(facts: RecordingFacts) -> str:
    why = facts.model.provenance_.get("alpha")
    alpha = f"was chosen as {why}" if why else f"= {facts.model.alpha_:g} was given"
    ended = how_learning_ended(facts.history, facts.model.converged_)
    if found := facts.model.provenance_.get("components"):
        ended = f"The number of waveforms was found: {found}."
    return f"The weight of sparsity, alpha, {alpha}. {ended}"
