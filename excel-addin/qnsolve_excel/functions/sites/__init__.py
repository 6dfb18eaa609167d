"""Whole systems: what they do today, and the study of their growing work."""
