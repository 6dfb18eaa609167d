"""The ordered registry: product form, approximations of it, Markov chain, general times; `auto` tries them in this order."""

from . import approximate, exact, general, markov
from .method import Method

METHODS: tuple[Method, ...] = (*exact.METHODS, *approximate.METHODS, *markov.METHODS, *general.METHODS)

__all__ = ["METHODS", "Method"]
