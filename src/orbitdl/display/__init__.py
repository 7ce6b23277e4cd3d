"""HTML representation of estimators in notebooks."""
