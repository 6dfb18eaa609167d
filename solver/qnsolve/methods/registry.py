"""The ordered registry: product form, approximations, the Markov chain; `auto` tries them in this order."""

from dataclasses import replace

from .blocking import method as blocking
from .entry import Method
from .general import method as general
from .layers import method as layers
from .limits import method as limited
from .markov import aggregation
from .markov import method as markov
from .markov.method import is_small
from .mean_value import method as approximate
from .priorities import method as priority
from .product_form import method as exact

_FAMILIES: tuple[Method, ...] = (
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

# a small Markov chain is exact and fast: it is preferred to an approximation
METHODS = tuple(method if method.exact else replace(method, yields=is_small) for method in _FAMILIES)
