"""Messages about optional dependencies that are not installed."""

from __future__ import annotations


def install_hint(what: str, packages: str, extra: str) -> str:
    """Return the message that names a missing dependency and how to install it.

    It names the packages and the extra, for a release from an index and for a checkout.

    Examples
    --------
    >>> print(install_hint("drawing", "matplotlib", "plot"))
    drawing needs matplotlib; pip install matplotlib, or pip install "orbitdl[plot]", or
    pip install ".[plot]" in a checkout.
    """
    return (
        f"{what} needs {packages.replace(' ', ' and ')}; pip install {packages}, or "
        f'pip install "orbitdl[{extra}]", or pip install ".[{extra}]" in a checkout.'
    )
