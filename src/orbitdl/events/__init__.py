"""Events: tables, significance, intervals, and the detector that lists them."""
