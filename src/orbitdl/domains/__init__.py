"""Where components live that are shorter than the data."""
