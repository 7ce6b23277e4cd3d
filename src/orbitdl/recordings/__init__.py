"""Recordings: reading files, cutting windows, events with their times."""
