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


def _with_small_chains(method: Method) -> Method:
    """The entry, that also yields to a small Markov chain, which is exact and fast, if it is an approximation."""
    return method if method.exact else replace(method, yields=lambda arrays: is_small(arrays) or method.yields(arrays))


METHODS = tuple(map(_with_small_chains, _FAMILIES))
