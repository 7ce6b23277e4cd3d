"""Groups of matrices that act on vectors, alone and on signals of vectors."""
