"""Write a file whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from uuid import uuid4

STREAMS = ("/dev/std", "/dev/fd/", "/proc/")  # links to open files: they must not be replaced


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text in UTF-8, its line ends as they are; see `write_bytes`."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file so that a reader sees the old content or the new one, never a part.

    The content goes into a new file in the same folder, which then takes the name.
    A symbolic link stays a link, permissions stay as they are, and a write that fails
    leaves the old file and nothing else. A device or a pipe is written to as it is.

    Raises
    ------
    OSError
        Names the file and the reason.
    """
    try:
        target = Path(os.path.realpath(path))
        mode = target.stat().st_mode if target.exists() else None
        if os.fspath(path).startswith(STREAMS) or (mode is not None and not stat.S_ISREG(mode)):
            Path(path).write_bytes(data)
            return
        if mode is not None and not os.access(target, os.W_OK):
            raise PermissionError(13, "Permission denied")
        beside = target.with_name(f".{uuid4().hex}.part")  # unique, so that several writers do not collide
        try:
            with beside.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if mode is not None:
                beside.chmod(stat.S_IMODE(mode))
            beside.replace(target)
        finally:
            beside.unlink(missing_ok=True)
    except (OSError, ValueError) as error:  # ValueError: an impossible file name
        number, reason = getattr(error, "errno", None), getattr(error, "strerror", None) or str(error)
        raise OSError(number or 22, f"cannot be written: {reason}", os.fspath(path)) from error
