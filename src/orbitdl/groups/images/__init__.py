"""Symmetries of images."""
