"""Figures that a fit gave, how far off they may be, and what that makes of every answer."""
