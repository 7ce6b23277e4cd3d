"""Groups together with finitely many other moves."""
