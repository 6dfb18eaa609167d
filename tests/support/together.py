"""Several laws held in one test, which reports all that are broken."""

from __future__ import annotations

from collections.abc import Callable, Iterable


def hold(laws: Iterable[Callable[..., None]], *arguments: object) -> None:
    """Check each law; one AssertionError lists every broken law by name."""
    broken = []
    for law in laws:
        try:
            law(*arguments)
        except AssertionError as error:
            broken.append(f"{law.__name__}: {law.__doc__}\n{error}")
    assert not broken, f"{len(broken)} broken\n\n" + "\n\n".join(broken)
