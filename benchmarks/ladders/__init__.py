"""Simulated ladders of loads: systems of several kinds, fitted at low loads and predicted at high ones."""
