"""Questions about a model beyond one solution: sweeps, bounds, bottlenecks, sensitivities, sizing, simulation beside it."""
