"""Data on a Dask cluster: its workers code what they hold, and sums come back.

Needs ``orbitdl[distributed]``, and is imported only where data of Dask are given.
"""

from orbitdl.executors.faults import ClusterError

__all__ = ["ClusterError"]
