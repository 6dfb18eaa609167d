"""Figures that others measured, all fitted by one call without a setting for any of them."""
