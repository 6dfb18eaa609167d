"""Files that are written whole or not at all."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(file: Path) -> Iterator[Path]:
    """A path beside the file, of no other writer; what is written there replaces the file when all went well."""
    beside = file.with_name(f"{file.name}.{secrets.token_hex(4)}.part")
    try:
        yield beside
        beside.replace(file)
    finally:
        beside.unlink(missing_ok=True)
