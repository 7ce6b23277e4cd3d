"""Steps one after the other: fitted, applied, and undone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.base import clone

from orbitdl.groups.base import Floats
from orbitdl.io.recording import Recording, concatenate
from orbitdl.preprocessing.base import Step, as_recording
from orbitdl.preprocessing.channels import CommonReference, Pick, Whiten
from orbitdl.preprocessing.conformity import Conformity
from orbitdl.preprocessing.detrending import Detrend
from orbitdl.preprocessing.filters import BandPass, HighPass, LowPass, Notch
from orbitdl.preprocessing.resampling import Resample
from orbitdl.preprocessing.splitting import SplitWindows
from orbitdl.windows.windows import Windows

STEPS: dict[str, type[Step]] = {
    step.__name__: step
    for step in (
        HighPass,
        LowPass,
        BandPass,
        Notch,
        Pick,
        CommonReference,
        Whiten,
        Resample,
        Detrend,
        SplitWindows,
    )
}
"""Steps by the names that model files have for them."""


@dataclass(frozen=True, eq=False)
class Applied:
    """A recording after fitted steps.

    Attributes
    ----------
    steps : sequence of Step
    stages : list
        The recording before every step, and last what came of it.
    conformity : Conformity
        What was done to the result so that it conforms with what a model learned from.
    """

    steps: Sequence[Any]
    stages: list[Any]
    conformity: Conformity = Conformity()

    @property
    def result(self) -> Any:
        """What came of it: a recording, or windows."""
        return self.stages[-1]

    @property
    def recording(self) -> Recording:
        """The recording that was coded, or split into windows."""
        found = self.stages[-2] if isinstance(self.result, Windows) else self.result
        return as_recording(found)

    def restore(self, values: Floats) -> Floats:
        """Return values of the shape of the result as values of a recording."""
        if isinstance(self.result, Windows):
            values = self.result.restore(values)
        values = self.conformity.undo(values)
        for step, before in zip(reversed(self.steps), reversed(self.stages[:-1]), strict=True):
            if hasattr(step, "restore") and not isinstance(step, SplitWindows):
                values = step.restore(values, as_recording(before))
        return values


def fit_steps(
    steps: Iterable[Any] | None, recordings: Sequence[Any]
) -> tuple[list[Any], list[Applied]]:
    """Fit copies of steps to recordings, one after the other; return them, and what they made.

    A step is fitted to what the steps before made of the first recording, those that estimate
    something (`Whiten`) of all.
    """
    fitted, stages = list[Any](), [[one] for one in recordings]
    for step in require_steps(steps):
        own = clone(step)
        now = [stage[-1] for stage in stages]
        if isinstance(own, SplitWindows):
            results = [own.fit_transform(one) for one in now]
        else:
            known = [as_recording(one) for one in now]
            several = isinstance(own, Whiten) and len(known) > 1
            own = own.fit(concatenate(known, gap=0) if several else known[0])
            results = [own.transform(one) for one in known]
        fitted.append(own)
        for stage, result in zip(stages, results, strict=True):
            stage.append(result)
    return fitted, [Applied(fitted, stage) for stage in stages]


def apply_steps(
    steps: Sequence[Any], recording: Any, acquisition: Mapping[str, Any] | None = None
) -> Applied:
    """Apply fitted steps to a recording; None stays None.

    What comes of them has the units and the order of channels of an acquisition, if it is passed.
    """
    stages = [recording]
    for step in steps if recording is not None else ():
        stages.append(step.transform(stages[-1]))
    known = acquisition or {}
    conformity = Conformity.of(stages[-1], known)
    result = conformity.apply(stages[-1], tuple(known.get("units") or ()))
    return Applied(steps, [*stages[:-1], result] if steps else [result], conformity)


def require_steps(steps: Iterable[Any] | None) -> list[Any]:
    """Return steps as a list; raise ValueError for what is none, or for windows before the end."""
    if steps is None:
        return []
    if isinstance(steps, str) or not isinstance(steps, Iterable):
        raise ValueError(
            f"preprocessing must be a sequence of steps, such as [HighPass(0.5)], not {steps!r}."
        )
    listed = list(steps)
    for k, step in enumerate(listed):
        if isinstance(step, type) or not all(hasattr(step, name) for name in ("fit", "transform")):
            raise ValueError(
                f"step {k} of preprocessing is {step!r}, which does not fit and transform; pass an "
                "object such as HighPass(0.5)."
            )
        if isinstance(step, SplitWindows) and k < len(listed) - 1:
            raise ValueError("SplitWindows must be the last step of preprocessing; move it there.")
    return listed


def to_records(steps: Sequence[Any]) -> list[dict[str, Any]]:
    """Return fitted steps as numbers and text; raise ValueError for steps of other packages."""
    for step in steps:
        if type(step) not in STEPS.values():
            raise ValueError(
                f"the preprocessing step {type(step).__name__} is not one of orbitdl, and a model "
                "file holds no code; apply it before, and leave it out of preprocessing="
            )
    return [step.to_record() for step in steps]


def from_records(records: Sequence[Mapping[str, Any]]) -> list[Step]:
    """Return fitted steps from what a model file holds."""
    return [_step(record) for record in records]


def _step(record: Mapping[str, Any]) -> Step:
    name = record.get("kind") if isinstance(record, Mapping) else None
    kind = STEPS.get(str(name))
    if kind is None:
        raise ValueError(f"there is no preprocessing step {str(name)[:40]!r}")
    parameters, fitted = record.get("parameters"), record.get("fitted")
    are_tables = isinstance(parameters, Mapping) and isinstance(fitted, Mapping)
    if not are_tables or set(parameters or ()) != set(kind._get_param_names()):
        raise ValueError(f"the preprocessing step {name} has other parameters than it takes")
    return kind(**dict(parameters or {})).with_fitted(dict(fitted or {}))
