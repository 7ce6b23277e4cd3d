"""What `encode` says of its codes, against an evaluation of its own among signals."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from orbitdl import OrbitDictionaryLearning, encode, encode_path
from orbitdl.coding import Matching, Sliding
from orbitdl.groups import ContinuousShift, InterpolatedShift

# nothing is learned here, on purpose
pytestmark = pytest.mark.filterwarnings("ignore:max_iter=:sklearn.exceptions.ConvergenceWarning")

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


def test_the_status_says_of_the_gap_what_the_gap_says():
    """Where no shift can move most of a data point, a rough code of the rest is exact enough."""
    X = np.array([moved(y, 0.0) for y in RNG.standard_normal((3, LENGTH))])
    X = np.concatenate([X, X + 1e6 * ALTERNATING])
    settings = {"group": ContinuousShift(), "alpha": ALPHA, "coder": Matching(n_atoms=1, tol=1e-6)}
    for codes in (
        encode(X, COMPONENTS, **settings),
        encode_path(X, COMPONENTS, group=ContinuousShift(), alphas=[ALPHA],
                    coder=settings["coder"])[0],
        OrbitDictionaryLearning(2, init=COMPONENTS, max_iter=0, **settings).fit(X).codes_,
    ):  # fmt: skip
        settled = np.array([status.is_settled for status in codes.status])
        np.testing.assert_array_equal(settled, codes.gap <= 1e-6)
        np.testing.assert_array_equal(settled, [False] * 3 + [True] * 3)


def test_a_gap_that_is_within_the_tolerance_in_the_end_is_no_warning():
    X = np.array([moved(RNG.standard_normal(LENGTH), 0.0)]) + 1e6 * ALTERNATING
    settings = {"group": ContinuousShift(), "coder": Sliding(max_iter=1, tol=1e-6)}
    assert encode(X, COMPONENTS, alpha=ALPHA, **settings).status[0].is_settled
    assert encode_path(X, COMPONENTS, alphas=[ALPHA], **settings)[0].status[0].is_settled


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


def debiased(x: np.ndarray, atoms, observed: np.ndarray) -> np.ndarray:
    """Return least squares coefficients of atoms, by the normal equations among signals."""
    columns = np.array([moved(COMPONENTS[row.component], row.shift) for row in atoms.itertuples()])
    seen = columns * observed
    return np.linalg.solve(seen @ seen.T, seen @ (observed * x))


@pytest.mark.parametrize("missing", [0, 4])
def test_debiased_coefficients_fit_what_was_observed_best_and_the_certificate_stays(missing):
    X = RNG.standard_normal((4, LENGTH))
    observed = np.ones(X.shape, dtype=bool)
    observed[:, 3 : 3 + missing] = False
    settings = {"group": ContinuousShift(), "alpha": 1.5, "mask": observed}
    plain = encode(X, COMPONENTS, **settings)
    refitted = encode(X, COMPONENTS, **settings, debias=True)
    assert_allclose(refitted.objective, plain.objective)
    assert_allclose(refitted.gap, plain.gap)
    assert (refitted.status == plain.status).all()
    for i, x in enumerate(X):
        atoms = refitted.to_frame().query(f"sample == {i}")
        before = plain.to_frame().query(f"sample == {i}")
        assert 0 < len(atoms) == len(before)
        assert_allclose(atoms["shift"], before["shift"])
        assert_allclose(atoms["coefficient"], debiased(x, atoms, observed[i]), rtol=1e-6)
        assert atoms["coefficient"].abs().sum() > before["coefficient"].abs().sum()


def test_a_model_codes_with_another_alpha_as_one_of_that_alpha_would():
    X = RNG.standard_normal((6, LENGTH))
    model = OrbitDictionaryLearning(2, ContinuousShift(), alpha=0.5, init=COMPONENTS, max_iter=0)
    model.fit(X)
    for alpha, debias in [(1.5, False), (1.5, True)]:
        codes = model.encode(X, alpha=alpha, debias=debias)
        wanted = encode(X, model.components_, group=ContinuousShift(), alpha=alpha, debias=debias)
        assert_allclose(codes.objective, wanted.objective, rtol=1e-6)
        assert_allclose(codes.to_frame(), wanted.to_frame(), atol=1e-6)
    assert model.encode(X).objective.sum() < model.encode(X, alpha=1.5).objective.sum()
    assert_allclose(model.encode(X).objective, model.encode(X, alpha=0.5).objective)


@pytest.mark.parametrize("alpha", [0.0, -1.0, np.nan, "noise", True])
def test_a_model_refuses_an_alpha_that_is_no_positive_number(alpha):
    X = RNG.standard_normal((3, LENGTH))
    model = OrbitDictionaryLearning(2, alpha=0.5, init=COMPONENTS, max_iter=0).fit(X)
    with pytest.raises(ValueError, match=r"^alpha must be a positive number, not "):
        model.encode(X, alpha=alpha)
