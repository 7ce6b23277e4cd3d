"""What a certificate is given for: codes by elements of the group."""

import numpy as np

from orbitdl.coding.atoms import Atoms
from orbitdl.coding.certificate import certify
from orbitdl.coding.problem import Problem
from orbitdl.groups import Orthogonal


def test_a_code_with_an_atom_outside_the_group_is_not_certified():
    rng, representation = np.random.default_rng(0), Orthogonal().on((2, 3))
    A = representation.analyze(rng.standard_normal((1, 2, 3)))
    inside, outside = np.eye(2).ravel(), np.diag([1.0, 2.0]).ravel()
    element, offsets = np.stack([inside, inside, outside]), np.array([0, 1, 3])
    atoms = Atoms(1, offsets, np.zeros(3, dtype=int), np.ones(3), element)
    Y = representation.analyze(rng.standard_normal((2, 2, 3)))
    _, gap = certify(Problem(representation, Y, A, 0.1), atoms)
    assert np.isfinite(gap[0])
    assert gap[1] == np.inf
