"""Data that are read a part at a time: arrays on disk, files, streams and chunks of a cluster."""
