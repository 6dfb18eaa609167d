"""The ordered registry: product form, approximations, the Markov chain; `auto` tries them in this order."""

from .blocking import method as blocking
from .entry import Method
from .general import method as general
from .layers import method as layers
from .limits import method as limited
from .markov import aggregation
from .markov import method as markov
from .mean_value import method as approximate
from .priorities import method as priority
from .product_form import method as exact

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
