"""A day of measured intervals: each solved, overload carried on, growth, and when it no longer holds."""
