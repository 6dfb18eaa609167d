"""Markov chains of numbers of tasks, and product forms of those that surround them: they know no host."""
