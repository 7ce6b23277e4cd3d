"""Untuned accuracy on real and simulated data: ``python -m benchmarks.trust --help``.

One file per data set, each with a function ``run(settings)`` that returns a `rows.Section`. Only
the length of the waveforms is passed to the library. No record is excluded: a fit that fails
counts as one without events.
"""
