"""Maxima of trigonometric polynomials on the circle and on the torus, with certified bounds."""
