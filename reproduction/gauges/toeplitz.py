"""Positive semidefinite Toeplitz matrices: projection onto them, and what they are made of."""

from __future__ import annotations

import numpy as np

from orbitdl.arrays.blocks import Blocks, Floats


def project(z: Blocks, correction: Blocks, n_iter: int) -> tuple[Blocks, Blocks]:
    """Project T(z) onto the positive semidefinite Toeplitz matrices, Algorithm 2 (Dykstra).

    Parameters
    ----------
    z : ndarray of shape (..., F)
        First columns.
    correction : ndarray of shape (..., F, F)
        Positive semidefinite matrices to begin with: zero, or those of an earlier projection.
    n_iter : int

    Returns
    -------
    z : ndarray of shape (..., F)
    correction : ndarray of shape (..., F, F)

    Notes
    -----
    With D the correction and P the average along diagonals (an orthogonal projection),

        D <- (D - T(z + P D))_+ ,      the projection is  z + P D  in the limit.

    It is the negative part of ``T(z + P D) - D`` that makes the next D: the first step of
    Algorithm 2 with its correction written as -D.
    """
    for _ in range(n_iter):
        s, U = np.linalg.eigh(correction - toeplitz(z + average_diagonals(correction)))
        correction = (U * np.maximum(s, 0.0)[..., None, :]) @ U.conj().swapaxes(-1, -2)
    return z + average_diagonals(correction), correction


def toeplitz(z: Blocks) -> Blocks:
    """Return the Hermitian Toeplitz matrices (..., F, F) with first columns z (..., F)."""
    place = np.arange(z.shape[-1])
    both = np.concatenate([z[..., :0:-1].conj(), z], axis=-1)
    return both[..., place[:, None] - place + len(place) - 1]


def average_diagonals(M: Blocks) -> Blocks:
    """Return the first column of the Toeplitz matrix nearest to Hermitian M, (..., F, F)."""
    size = M.shape[-1]
    sums = [np.trace(M, offset=-k, axis1=-2, axis2=-1) for k in range(size)]
    return np.stack(sums, axis=-1) / np.arange(size, 0, -1)


def vandermonde(T: Blocks, negligible: float = 1e-15) -> tuple[Floats, Floats]:
    """Write positive semidefinite Toeplitz matrices as ``T = sum_k c_k v_k v_k^H``.

    Parameters
    ----------
    T : ndarray of shape (..., F, F)
    negligible : float
        Eigenvalues up to this fraction of the largest are taken for zero.

    Returns
    -------
    c : ndarray of shape (..., r)
        Weights >= 0; r is the largest rank of the matrices.
    angle : ndarray of shape (..., r)
        ``v_k = (exp(i f angle_k))_f``.

    Notes
    -----
    Let ``T = B B^H`` with rows ``b_0 .. b_{F-1}``. Since T is Toeplitz, the rows without the last
    and those without the first have equal Gram matrices, so a unitary Q takes ``b_f`` to
    ``b_{f+1}``, the polar factor of ``sum_f b_f^H b_{f+1}``. Hence ``T_f0 = b_0 Q^f b_0^H``: the
    angles are those of the eigenvalues of Q, the weights ``|b_0 w_k|^2`` with its eigenvectors.
    These are found from a Hermitian matrix that commutes with Q.
    """
    s, U = np.linalg.eigh(T)
    rank = max(int((s > negligible * s[..., -1:]).sum(axis=-1).max(initial=0)), 1)
    B = (U * np.sqrt(np.maximum(s, 0.0))[..., None, :])[..., -rank:]
    left, _, right = np.linalg.svd(B[..., :-1, :].conj().swapaxes(-1, -2) @ B[..., 1:, :])
    Q = left @ right
    tilted = np.exp(1j) * Q  # untilted, an angle and its negative would be confused
    W = np.linalg.eigh(tilted + tilted.conj().swapaxes(-1, -2))[1]
    c: Floats = np.abs((B[..., :1, :] @ W)[..., 0, :]) ** 2
    return c, np.angle(np.sum(W.conj() * (Q @ W), axis=-2))
