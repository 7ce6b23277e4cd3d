"""Plain data: blocks, validation, warnings; imports nothing of the package."""
