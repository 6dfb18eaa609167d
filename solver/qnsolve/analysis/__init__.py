"""Analyses of a model: sweeps, bounds, bottlenecks, sensitivities, sizing, percentiles, verification by simulation."""
