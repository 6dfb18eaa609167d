"""Seeded small models with exact answers, one file a kind of model."""
