"""Coding data points with a fitted model, a piece at a time, wherever they are."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike

import numpy as np

from orbitdl.coding.base import Coder
from orbitdl.coding.codes import Codes
from orbitdl.data.base import Part
from orbitdl.encoding.encode import encode_samples
from orbitdl.encoding.samples import Samples
from orbitdl.groups.base import Action, Blocks, Floats, Integers
from orbitdl.learning.executor import Crew, Piece
from orbitdl.learning.spill import Scratch
from orbitdl.storage.stored_codes import Account, CodesFolder, StoredCodes, codes_folder


@dataclass(frozen=True, eq=False)
class Whole:
    """Data points in memory, as the only piece."""

    part: Part

    @property
    def ends(self) -> Integers:
        """Where it begins and ends."""
        return np.array([0, len(self.part.values)])

    @property
    def shape(self) -> tuple[int, ...]:
        """Of a data point."""
        return self.part.values.shape[1:]

    def read(self, k: int) -> Part:
        """Return all of them."""
        return self.part


@dataclass(frozen=True, eq=False)
class EncodePiece:
    """Codes a piece of the data with components A (q, F, d, m)."""

    representation: Action
    A: Blocks
    coder: Coder
    alpha: float
    debias: bool = False
    n_jobs: int | None = None

    def __call__(self, piece: Piece) -> Codes:
        """Return codes; whether they converged is judged of all pieces together."""
        signal, observed = piece.data
        samples = Samples.on(self.representation, signal, observed, self.n_jobs)
        args = self.A, self.alpha, self.coder, self.n_jobs, self.debias
        return encode_samples(samples, *args, warn=False)

    def account(self, codes: Codes) -> Account:
        """Return what codes come to."""
        return Account.of(codes, self.coder.tol)


@dataclass(frozen=True, eq=False)
class ListCodes:
    """Returns the codes of a piece in a list."""

    encode: EncodePiece

    def __call__(self, piece: Piece, scratch: Scratch) -> list[Codes]:
        return [self.encode(piece)]


@dataclass(frozen=True, eq=False)
class StoreCodes:
    """Writes the codes of a piece to a folder, and returns what they come to."""

    encode: EncodePiece
    folder: CodesFolder

    def __call__(self, piece: Piece, scratch: Scratch) -> Account:
        codes = self.encode(piece)
        self.folder.write(piece.number, piece.first, codes)
        return self.encode.account(codes)


@dataclass(frozen=True)
class Explained:
    """Energy of data and what their codes come to; the sum is that of both together."""

    energy: float
    account: Account

    def __add__(self, other: Explained) -> Explained:
        return Explained(self.energy + other.energy, self.account + other.account)


@dataclass(frozen=True, eq=False)
class Explain:
    """Returns how much codes explain of a piece."""

    encode: EncodePiece

    def __call__(self, piece: Piece, scratch: Scratch) -> Explained:
        energy = 0.5 * float(np.sum(piece.data.values**2))
        return Explained(energy, self.encode.account(self.encode(piece)))


@dataclass(frozen=True, eq=False)
class Coding:
    """Data points, who works on them, and how they are coded."""

    crew: Crew
    encode: EncodePiece

    def codes(self) -> Codes:
        """Return the codes of all data points."""
        codes = Codes.concatenate(self._listed())
        self._warn_if_late(self.encode.account(codes))
        return codes

    def stored(self, to: str | PathLike[str]) -> StoredCodes:
        """Write the codes of all data points to a folder."""
        with codes_folder(to) as folder:
            work = StoreCodes(self.encode, folder)
            account = self.crew.total(work, self.crew.filled, "encode")
            self._warn_if_late(account)
            return folder.finish(account)

    def invariants(self) -> Floats:
        """Return ``||Z_ij||_G`` for all data points, shape (n, q)."""
        return self.codes().invariants()

    def score(self) -> float:
        """Return ``1 - sum_i objective_i / sum_i 1/2 ||M_i y_i||^2``."""
        told = self.crew.total(Explain(self.encode), self.crew.filled, "score")
        self._warn_if_late(told.account)
        return 1.0 - told.account.objective / told.energy if told.energy > 0 else 0.0

    def _listed(self) -> list[Codes]:
        return self.crew.total(ListCodes(self.encode), self.crew.filled, "encode")

    def _warn_if_late(self, account: Account) -> None:
        who = f"{account.not_converged} of {account.samples} samples"
        self.encode.coder.warn_if(account.not_converged > 0, who, account.gap)
