"""Approximate mean value analysis: Schweitzer, AQL, Linearizer; and the saddle point."""
