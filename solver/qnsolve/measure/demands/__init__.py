"""Demands of classes from measured intervals: regression, how far off it may be, what the rows cannot tell."""
