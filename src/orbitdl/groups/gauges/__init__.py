"""Gauges that have no closed form: the lightest combinations of group elements."""
