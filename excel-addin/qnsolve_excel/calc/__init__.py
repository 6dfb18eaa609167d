"""LibreOffice Calc: the extension that gives Calc the worksheet functions."""

from .extension import parts, write

__all__ = ["parts", "write"]
