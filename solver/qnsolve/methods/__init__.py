"""The ordered registry: product form, approximations, the Markov chain; `auto` tries them in this order."""

from . import aggregation, approximate, blocking, exact, general, layers, limited, markov, priority
from .method import Method, not_product_form

METHODS: tuple[Method, ...] = (
    *exact.METHODS,
    *approximate.METHODS,
    *limited.METHODS,
    *aggregation.METHODS,
    *priority.METHODS,
    *layers.METHODS,
    *general.METHODS,
    *markov.METHODS,
    *blocking.METHODS,
)

__all__ = ["METHODS", "Method", "not_product_form"]
