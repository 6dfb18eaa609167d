"""Planning workbooks: inputs, results, what-if tables, charts and the method, in each spelling of the functions."""

from .book import write
from .formulas import FLAVOURS
from .plans import PLANS

__all__ = ["FLAVOURS", "PLANS", "write"]
