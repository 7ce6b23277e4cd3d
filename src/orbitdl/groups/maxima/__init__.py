"""Trigonometric polynomials and their peaks."""
