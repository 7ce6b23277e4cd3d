"""Discovery of waveforms in recordings: noise model, matching pursuit, growth of a dictionary."""
