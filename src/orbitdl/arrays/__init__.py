"""Array types, validation and warnings; imports nothing from the package."""
