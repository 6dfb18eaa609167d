"""Markov chains of numbers of tasks: they know no host."""
