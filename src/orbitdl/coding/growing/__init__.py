"""Column generation on any Lie group: atoms enter at peaks of the certificate, and move."""
