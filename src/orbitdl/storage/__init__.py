"""Model files and checkpoints: written atomically, validated when read."""
