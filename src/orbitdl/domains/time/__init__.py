"""Waveforms on the line: short shapes anywhere in a long recording, at any time, with a proof."""
