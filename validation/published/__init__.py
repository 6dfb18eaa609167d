"""The published tables as printed, and how they are read."""
