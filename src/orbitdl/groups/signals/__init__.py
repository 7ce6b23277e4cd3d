"""Symmetries of signals in time."""
