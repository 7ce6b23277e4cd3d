"""Windows that are sparse sums of shifted components, and noise."""

import numpy as np
from benchopt import BaseDataset


class Dataset(BaseDataset):
    """Gaussian-windowed oscillations at random integer shifts."""

    name = "simulated"
    requirements = ["numpy"]
    parameters = {
        "n_samples, length, n_components": [(200, 100, 2), (1000, 200, 3)],
        "noise": [0.05],
        "seed": [0],
    }

    def get_data(self):
        """Return windows (n, d) and the components (q, d) that they are made of."""
        rng = np.random.default_rng(self.seed)
        time = np.arange(self.length) - self.length / 2
        width = self.length / rng.uniform(8, 25, self.n_components)[:, None]
        cycles = rng.uniform(0.5, 3.0, self.n_components)[:, None]
        components = np.exp(-0.5 * (time / width) ** 2) * np.cos(cycles * time / width)
        components /= np.linalg.norm(components, axis=1, keepdims=True)
        X = self.noise * rng.standard_normal((self.n_samples, self.length))
        for window in X:
            for _ in range(3):
                j, shift = rng.integers(self.n_components), rng.integers(self.length)
                window += rng.uniform(0.5, 2.0) * np.roll(components[j], shift)
        return {"X": X, "components": components}
