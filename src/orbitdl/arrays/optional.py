"""Packages that not everyone needs: what is said where one is not installed."""

from __future__ import annotations


def install_hint(what: str, packages: str, extra: str) -> str:
    """Return the sentence that says what is not installed, and how to install it.

    It holds wherever orbitdl itself came from: the packages are named, and the extra of a checkout.

    Examples
    --------
    >>> install_hint("drawing", "matplotlib", "plot")
    'drawing needs matplotlib; pip install matplotlib, or pip install ".[plot]" in a checkout.'
    """
    return (
        f"{what} needs {packages.replace(' ', ' and ')}; pip install {packages}, or "
        f'pip install ".[{extra}]" in a checkout.'
    )
