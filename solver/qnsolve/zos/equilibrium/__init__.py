"""The equilibrium of a system: rounds of hosts given how work comes, and of limits and users given how hosts serve."""
