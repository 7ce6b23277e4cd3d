"""Isometries from data to block coordinates."""
