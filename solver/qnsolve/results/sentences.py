"""Words that sentences of several rooms share."""

from __future__ import annotations

PLURAL = ("CPs", "zIIPs", "threads", "regions")  # last words of the names of centers


def be(name: str) -> str:
    """What stands after a name: "are" after several of a kind, "is" after any other.

    Examples
    --------
    >>> be("SYSA CPs"), be("AOR1 QR TCB")
    ('are', 'is')
    """
    return "are" if name.endswith(PLURAL) else "is"
