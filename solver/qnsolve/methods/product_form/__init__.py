"""Exact methods for product-form networks."""
