"""Code data with given components: at one alpha, along several, and from codes back to data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orbitdl.arrays.blocks import Blocks, Floats
from orbitdl.arrays.validation import as_components
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.base import Coder
from orbitdl.coding.certificate import reconstruct
from orbitdl.coding.codes import Codes
from orbitdl.encoding.samples import Samples
from orbitdl.groups.base import Action
from orbitdl.kernels.blas import single_threaded_blas


@single_threaded_blas()
def decode(codes: Codes, components: ArrayLike) -> Floats:
    """Return ``sum_k c_k g_k a_k`` for every coded data point, shape (n, ...)."""
    if not isinstance(codes, Codes):
        raise ValueError(f"codes must be what encode returns, not {codes!r}.")
    representation, A = codes.representation, as_components(components)
    if A.shape != (codes.atoms.n_components, *representation.shape):
        raise ValueError(
            f"codes of {codes.atoms.n_components} components of shape {representation.shape} "
            f"cannot be decoded with components of shape {A.shape}; pass the components that they "
            "were made with."
        )
    return decode_atoms(representation, codes.atoms, representation.analyze(A))


@dataclass(frozen=True, eq=False)
class SampleCoder:
    """What codes data points; everything in here is checked. It can be pickled.

    Attributes
    ----------
    action : Action
    A : ndarray of shape (q, F, d, m)
        Components in block coordinates.
    coder : Coder
    alpha : float
    debias : bool
        Whether coefficients are refitted by least squares.
    n_jobs : int or None
    """

    action: Action
    A: Blocks
    coder: Coder
    alpha: float
    debias: bool = False
    n_jobs: int | None = None
    noun: ClassVar[str] = "samples"

    def prepare(self, checked: tuple[Floats, NDArray[np.bool_] | None]) -> Samples:
        """Return checked values and mask, (n, ...) each, in block coordinates."""
        signal, observed = checked
        return Samples.on(self.action, signal, observed, self.n_jobs)

    def code(self, samples: Samples) -> Codes:
        """Return the codes of data points; without a warning if some have not converged."""
        codes = self.coder.prepare(self.action, self.A).code(
            samples.Y, self.alpha, masked=samples.masked, n_jobs=self.n_jobs, warn=False
        )
        if self.debias:
            codes = replace(codes, atoms=refit(samples, codes.atoms, self.A))
        return samples.with_unseen(codes, self.coder.tol)

    def path(self, samples: Samples, alphas: list[float]) -> list[Codes]:
        """Return the codes at every alpha, from the largest to the smallest, in their order."""
        prepared, found = self.coder.prepare(self.action, self.A), dict[int, Codes]()
        warm = None
        for k in np.argsort(-np.array(alphas), kind="stable"):
            codes = prepared.code(
                samples.Y,
                alphas[k],
                warm,
                masked=samples.masked,
                n_jobs=self.n_jobs,
                warn=False,
            )
            warm, found[int(k)] = codes.atoms, samples.with_unseen(codes, self.coder.tol)
        return [found[k] for k in range(len(alphas))]

    def codes(self, coded: Codes) -> Codes:
        """Return the codes: what is known of coded data points."""
        return coded

    def no_codes(self) -> Codes:
        """Return the codes of no data points."""
        none, atoms = np.zeros(0), Atoms.none(0, len(self.A), len(self.action.parameters))
        return Codes(self.action, atoms, none, none, np.zeros(0, dtype=object))


def refit(samples: Samples, atoms: Atoms, A: Blocks) -> Atoms:
    """Return the same atoms with the coefficients that fit the observed entries best."""
    return atoms.updated(refitted(samples, atoms, A), atoms.element)


def refitted(samples: Samples, atoms: Atoms, A: Blocks) -> Floats:
    """Return the coefficients (K,) of atoms that fit the observed entries best."""
    representation, y = samples.representation, samples.signal.reshape(len(samples), -1)
    transformed = representation.synthesize(
        representation.act_on_blocks(atoms.element, A[atoms.component])
    )
    columns = transformed.reshape(len(transformed), y.shape[1])
    if samples.observed is not None:
        columns = columns * samples.observed.reshape(y.shape)[atoms.sample]
    c = np.zeros(len(columns))
    for i in np.flatnonzero(np.diff(atoms.offsets)):
        own = slice(atoms.offsets[i], atoms.offsets[i + 1])
        c[own] = np.linalg.lstsq(columns[own].T, y[i], rcond=1e-10)[0]
    return c


def decode_atoms(action: Action, atoms: Atoms, A: Blocks) -> Floats:
    """Return the data (n, ...) that atoms of components A (q, F, d, m) add up to."""
    return action.synthesize(reconstruct(action, atoms, A))
