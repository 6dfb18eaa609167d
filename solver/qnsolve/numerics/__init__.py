"""Numerical tools on arrays, without models or names."""
