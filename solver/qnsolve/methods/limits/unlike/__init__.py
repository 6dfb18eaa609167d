"""Kinds of work that share one limit and hold its places for unlike times."""
