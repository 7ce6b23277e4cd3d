"""Where data in parts are worked on: threads of this process, or the workers of a Dask cluster.

What needs Dask (``orbitdl[distributed]``) is imported only where data of Dask are passed.
"""
