"""How models and codes look in a notebook: HTML without scripts, in its colours."""
