"""Numerical tools on arrays that several rooms share. They know no model and no names."""
