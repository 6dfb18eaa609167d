"""Model files of JMVA, the analytical solver of the Java Modelling Tools: XML <-> Network."""

from __future__ import annotations

import warnings
from collections.abc import Callable

from qnsolve.errors import ImportNote
from qnsolve.model.network import Network

from .jmva_reading import Reading, read
from .jmva_writing import write

__all__ = ["Reading", "load", "read", "write"]


def load(source: str | bytes, kept: Callable[[str], Network], where: str = "") -> Network:
    """The model of a .jmva file: the stored original, unless the file was changed since.

    Parameters
    ----------
    source : str or bytes
    kept : callable
        Makes the Network from the text that `write` stored.
    where : str, optional
        Beginning of the notes.

    Warns
    -----
    ImportNote
    """
    reading = read(source)
    notes = list(reading.notes)
    if reading.kept:
        model = kept(reading.kept)
        if read(write(model)).model == reading.model:
            return model
        notes.append("units, think times and names are those of JMVA, because the file was changed since qnsolve wrote it")
    for note in notes:
        warnings.warn(where + note, ImportNote, stacklevel=4)
    return reading.model
