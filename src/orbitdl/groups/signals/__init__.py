"""Groups that act on signals along time."""
