"""Gaps of recordings: events near them, and the samples that are missing."""
