"""From measured intervals to a model: a sketch with figures left open, what informs each, and the fitted model."""
