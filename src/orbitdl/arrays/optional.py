"""Messages about optional dependencies that are not installed."""

from __future__ import annotations


def install_hint(what: str, packages: str, extra: str) -> str:
    """Return the message that names a missing dependency and how to install it.

    It names both the packages and the extra, for installations from an index and from a checkout.

    Examples
    --------
    >>> install_hint("drawing", "matplotlib", "plot")
    'drawing needs matplotlib; pip install matplotlib, or pip install ".[plot]" in a checkout.'
    """
    return (
        f"{what} needs {packages.replace(' ', ' and ')}; pip install {packages}, or "
        f'pip install ".[{extra}]" in a checkout.'
    )
