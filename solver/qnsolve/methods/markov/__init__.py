"""The Markov chain of the jobs of a small model."""
