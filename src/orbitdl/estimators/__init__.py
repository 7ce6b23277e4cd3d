"""Estimators, and what they share: learning, use, persistence."""
