"""What a claim of the paper is, and what we have to say about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import inf


class Verdict(StrEnum):
    """How our outcome compares with the paper's."""

    SAME = "same"
    BETTER = "better"
    DIFFERENT = "different"
    ANSWERED = "answered"
    NOT_RUN = "not run"


@dataclass(frozen=True)
class Claim:
    """A statement of the paper that a number decides.

    Attributes
    ----------
    key : str
        Its name here, ``experiment.what``.
    source : str
        Where the paper makes it.
    text : str
        The statement.
    said : str
        The paper's number or words.
    within : tuple of two float
        The interval of our number in which the statement holds as it stands.
    better : {"", "below", "above"}
        The side of that interval on which we do better than the paper, if there is one.
    question : bool
        Whether the paper leaves it open, so that any measurement is an answer.
    """

    key: str
    source: str
    text: str
    said: str
    within: tuple[float, float] = (-inf, inf)
    better: str = ""
    question: bool = False

    @property
    def experiment(self) -> str:
        """The experiment that decides it."""
        return self.key.split(".")[0]

    def verdict(self, value: float) -> Verdict:
        """Compare our number with the statement.

        Examples
        --------
        >>> claim = Claim("a.b", "Fig. 1", "", "about 0.1", (0.05, 0.15), "below")
        >>> [str(claim.verdict(value)) for value in (0.01, 0.1, 0.2)]
        ['better', 'same', 'different']
        """
        if self.question:
            return Verdict.ANSWERED
        low, high = self.within
        if low <= value <= high:
            return Verdict.SAME
        side = "below" if value < low else "above"
        return Verdict.BETTER if side == self.better else Verdict.DIFFERENT


@dataclass(frozen=True)
class Finding:
    """What an experiment found on one claim: the number that decides, in words, and why."""

    value: float
    got: str
    why: str


@dataclass(frozen=True)
class Row:
    """A row of the page: what the paper said, what we got, whether it is the same, and why."""

    claim: Claim
    got: str
    verdict: Verdict
    why: str

    @classmethod
    def of(cls, claim: Claim, finding: Finding | None, reason: str) -> Row:
        """Judge a finding; without one, give the reason why there is none."""
        if finding is None:
            return cls(claim, "-", Verdict.NOT_RUN, reason)
        return cls(claim, finding.got, claim.verdict(finding.value), finding.why)
