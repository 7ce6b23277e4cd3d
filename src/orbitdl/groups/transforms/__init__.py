"""Isometries into block coordinates."""
