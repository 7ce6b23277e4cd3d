"""HTML for notebooks, without scripts."""
