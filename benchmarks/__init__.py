"""Speed of orbitdl beside its peers: ``python -m benchmarks --help``.

One file a comparison, each with a function ``run(quick)`` that returns a `harness.Section`. Every
program runs in the environment that a user has: no number of threads is set. What one BLAS thread
would change is a comparison of its own (`environment`).
"""
