"""Figures that others measured, which nobody here tuned a model to."""
