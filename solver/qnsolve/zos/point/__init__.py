"""The operating point of a system."""
