"""Trigonometric polynomials and their maxima."""
