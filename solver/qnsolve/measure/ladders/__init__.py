"""A measured ladder of loads as a closed network: fit, prediction, and how far off it may be."""
