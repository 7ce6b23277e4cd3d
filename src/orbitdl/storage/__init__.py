"""Model files and checkpoints: written whole or not at all, checked completely when read."""
