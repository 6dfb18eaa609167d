"""The ordered registry of methods: exact ones first, in the order in which `auto` tries them."""

from . import approximate, exact
from .method import Method

METHODS: tuple[Method, ...] = (*exact.METHODS, *approximate.METHODS)

__all__ = ["METHODS", "Method"]
