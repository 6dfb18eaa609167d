"""Files that are written whole or not at all."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(file: Path) -> Iterator[Path]:
    """A path beside the file, of no other writer; its content replaces that of the file when all went well.

    A symbolic link stays a link.
    """
    target = file.resolve()
    beside = target.with_name(f"{target.name}.{secrets.token_hex(4)}.part")
    try:
        yield beside
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
