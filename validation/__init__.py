"""Predictions of published tables: the cases, the report, and the accepted figures.

A name is imported when it is first used: the command line needs the parser alone.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .accepted import MovedError
    from .cases import all_cases
    from .runner import studies
    from .suite import accept, run

__all__ = ["MovedError", "accept", "all_cases", "run", "studies"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    return getattr(import_module(".suite", __name__), name)
