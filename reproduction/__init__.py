"""The paper's experiments, each beside what the paper says of it.

`reproduce` runs them and writes one page; every experiment is a module of its own with settings on
top, a function `run` that returns plain results, `draw` for its figures and `judge` for its claims.
"""

from reproduction.running import NAMES, Reproduction, reproduce

__all__ = ["NAMES", "Reproduction", "reproduce"]
