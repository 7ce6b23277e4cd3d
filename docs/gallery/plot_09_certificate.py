r"""
A certificate, drawn
====================

How does one know that no better code exists? Correlate what a code leaves, the residual
:math:`r`, with the component :math:`a` at *every* shift :math:`g`. A code is optimal if and only
if :math:`|\langle r, g a\rangle| \le \alpha` everywhere, with equality where its atoms are: no
atom anywhere would pay for its price. For shifts by any amount that is one trigonometric
polynomial, and its largest value can be bounded for certain.
"""

import matplotlib.pyplot as plt
import numpy as np

from orbitdl import encode
from orbitdl.coding import Sliding
from orbitdl.groups import ContinuousShift

rng = np.random.default_rng(4)
length, alpha = 61, 0.5
t = np.arange(length)
component = np.exp(-0.5 * ((t - 30) / 1.5) ** 2) - 0.6 * np.exp(-0.5 * ((t - 34) / 2.0) ** 2)
space = ContinuousShift().on((length,))
component = space.project(component / np.linalg.norm(component))
data = (
    2.0 * space.act(np.array([-12.3]), component)
    - 1.5 * space.act(np.array([8.6]), component)
    + 0.12 * rng.standard_normal(length)
)
codes = encode(
    data[None], component[None], group=ContinuousShift(), alpha=alpha, coder=Sliding(tol=1e-9)
)
print(codes.to_frame().round(3))

# %%
# Above: the data and the code. Below: the certificate, which touches the price where the atoms
# are and stays below it elsewhere.

shifts = np.linspace(0, length, 2000)[:, None]
copies = space.act(shifts, np.broadcast_to(component, (len(shifts), length)))
atoms = codes.atoms
parts = atoms.coefficient[:, None] * space.act(atoms.element, component[None][atoms.component])
certificate = copies @ (data - parts.sum(axis=0))
place = (30 + shifts[:, 0]) % length  # of the peak
order = np.argsort(place)

figure, (above, below) = plt.subplots(2, 1, figsize=(9, 5), sharex=True, layout="constrained")
above.plot(t, data, color="0.6", lw=3, label="data")
above.plot(t, parts.sum(axis=0), color="#0072b2", label="code")
above.legend(frameon=False)
below.axhspan(-alpha, alpha, color="#0072b2", alpha=0.08)
below.plot(place[order], certificate[order], color="0.2")
at = (30 + atoms.element[:, 0]) % length
below.plot(at, alpha * np.sign(atoms.coefficient), "o", color="#d55e00", label="atoms")
below.set_yticks([-alpha, 0, alpha], [r"$-\alpha$", "0", r"$\alpha$"])
below.set(xlabel="place of the peak (samples)", ylabel="correlation with\nwhat is left")
below.legend(frameon=False)
for ax in (above, below):
    ax.spines[["top", "right"]].set_visible(False)
print(f"largest correlation {np.abs(certificate).max():.6f}, certified gap {codes.gap[0]:.0e}")

# %%
# With the atom of the second wave left out, the certificate says where one is missing: it rises
# above the price there.

largest = np.argsort(-np.abs(atoms.coefficient))
less = copies @ (data - parts[largest[0]])
figure, ax = plt.subplots(figsize=(9, 2.6), layout="constrained")
ax.axhspan(-alpha, alpha, color="#0072b2", alpha=0.08)
ax.plot(place[order], less[order], color="0.2")
ax.set_yticks([-alpha, 0, alpha], [r"$-\alpha$", "0", r"$\alpha$"])
ax.set(xlabel="place of the peak (samples)", ylabel="correlation with\nwhat is left")
ax.spines[["top", "right"]].set_visible(False)
