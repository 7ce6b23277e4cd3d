"""What `encode` says of its codes, against an evaluation of its own among signals."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from orbitdl import encode
from orbitdl.coding import Matching
from orbitdl.groups import ContinuousShift, InterpolatedShift

LENGTH, ALPHA = 12, 0.15
GRID = 400 * LENGTH
RNG = np.random.default_rng(0)
COMPONENTS = RNG.standard_normal((2, LENGTH))
ALTERNATING = (-1.0) ** np.arange(LENGTH)


def moved(a: np.ndarray, shift: float) -> np.ndarray:
    """Return a signal of even length moved by a fraction of a sample, its alternating part gone."""
    phase = np.exp(-2j * np.pi * np.fft.rfftfreq(LENGTH) * shift)
    phase[-1] = 0.0
    return np.fft.irfft(phase * np.fft.rfft(a), LENGTH)


def reach(r: np.ndarray, shifts: np.ndarray) -> float:
    """Return ``max_{j,g} |<r, g a_j>|`` over these shifts."""
    return max(abs(r @ moved(a, shift)) for a in COMPONENTS for shift in shifts)


@pytest.mark.parametrize("group", [ContinuousShift(), InterpolatedShift(3)])
@pytest.mark.parametrize("strength", [0.3, 3.0])
def test_objective_and_gap_count_the_part_that_no_shift_can_move(group, strength):
    """The absolute gap is that of the rest, for no code can change this part of the objective."""
    plain = np.array([moved(y, 0.0) for y in RNG.standard_normal((3, LENGTH))])
    X = plain + strength * ALTERNATING
    codes = encode(X, COMPONENTS, group=group, alpha=ALPHA, coder=Matching(n_atoms=1))
    shifts = np.arange(GRID) / 400 if isinstance(group, ContinuousShift) else np.arange(36) / 3
    for i, (x, y) in enumerate(zip(X, plain, strict=True)):
        atoms = codes.to_frame().query(f"sample == {i}")
        name = codes.representation.parameters[0]
        fit = sum(
            row.coefficient * moved(COMPONENTS[row.component], getattr(row, name))
            for row in atoms.itertuples()
        )
        penalty = ALPHA * atoms["coefficient"].abs().sum()
        objective = 0.5 * np.sum((x - fit) ** 2) + penalty
        r = y - fit
        scale = min((y @ r) / (r @ r), ALPHA / reach(r, shifts))
        bound = scale * (y @ r) - 0.5 * scale**2 * (r @ r)
        excess = 0.5 * (r @ r) + penalty - bound
        assert_allclose(codes.objective[i], objective, rtol=1e-9)
        assert_allclose(codes.gap[i], excess / objective, rtol=1e-3)
        assert codes.gap[i] > 1e-3  # there is something to compare
