"""Orthogonal matrices as angles, axes and reflections."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orbitdl.arrays.blocks import Floats
from orbitdl.groups.presentation import NO_BREAK


def rotation_vectors(matrices: Floats, mirrored: NDArray[np.bool_]) -> Floats:
    """Return rotation vectors, axis times angle (..., 3), of matrices (..., 3, 3) up to a sign."""
    from scipy.spatial.transform import Rotation

    rotations = np.where(mirrored[..., None, None], -matrices, matrices)
    return np.asarray(Rotation.from_matrix(rotations).as_rotvec())


def rotation_label(matrix: Floats) -> str:
    """Return a label of an orthogonal matrix: angle and axis in up to three dimensions."""
    d, mirrored = len(matrix), bool(np.linalg.det(matrix) < 0)
    if d == 1:
        return "mirrored" if mirrored else "as learned"
    if d == 2:
        angle = math.degrees(math.atan2(matrix[1, 0], matrix[0, 0])) % 360
        return f"{'mirrored, then ' if mirrored else ''}rotated by {angle:.1f}°"
    if d == 3:
        vector = rotation_vectors(matrix, np.asarray(mirrored))
        angle = float(np.linalg.norm(vector))
        axis = ", ".join(f"{value:.2f}" for value in vector / angle) if angle > 0 else ""
        about = f" about{NO_BREAK}({axis})" if angle > 0 else ""
        inverted = ", and inverted" if mirrored else ""
        return f"rotated by {math.degrees(angle):.1f}°{about}{inverted}"
    return "mirrored and rotated" if mirrored else "rotated"


def rotation_columns(matrices: Floats) -> dict[str, NDArray[Any]]:
    """Return columns of a table that describe matrices (k, d, d); none above three dimensions.

    In the plane: `angle` in degrees, and whether vectors are first `mirrored` at the first axis. In
    space: `angle` of at most 180 degrees, the unit vector (`axis_x`, `axis_y`, `axis_z`) of the
    rotation, and whether vectors are `mirrored` at the origin.

    Examples
    --------
    >>> quarter = np.array([[0.0, -1.0], [1.0, 0.0]])
    >>> {name: column.tolist() for name, column in rotation_columns(quarter[None]).items()}
    {'angle': [90.0], 'mirrored': [False]}
    """
    d = matrices.shape[-1]
    mirrored = np.linalg.det(matrices) < 0
    if d == 2:
        angle = np.degrees(np.arctan2(matrices[:, 1, 0], matrices[:, 0, 0])) % 360
        return {"angle": angle, "mirrored": mirrored}
    if d == 3:
        vector = rotation_vectors(matrices, mirrored)
        angle = np.linalg.norm(vector, axis=1)
        axis = np.divide(
            vector, angle[:, None], out=np.zeros_like(vector), where=angle[:, None] > 0
        )
        columns = {f"axis_{name}": axis[:, k] for k, name in enumerate("xyz")}
        return {"angle": np.degrees(angle), **columns, "mirrored": mirrored}
    return {}
