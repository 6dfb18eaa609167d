"""Changes, growth and comparison of systems."""
