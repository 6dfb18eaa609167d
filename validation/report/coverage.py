"""Every table of every document: predicted, identity, input, or out of scope."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from ..case import VERDICTS, Study
from ..cases import all_cases
from ..published.published_tables import index, scope, sources

STATES = (*VERDICTS, "identity", "input", "out of scope")


@dataclass(frozen=True)
class Place:
    """A table of the index: its state, and the cases about it or the reason why there is none."""

    document: str
    label: str
    file: str
    title: str
    lines: str
    state: str
    why: str


def coverage(studies: Iterable[Study], document: str | None = None) -> list[Place]:
    """A row for every table; those whose cases did not run have the state "not run"."""
    done: dict[tuple[str, str], list[Study]] = {}
    for study in studies:
        done.setdefault((study.case.source, f"{study.case.file}.csv"), []).append(study)
    names: dict[tuple[str, str], list[str]] = {}
    for case in all_cases():
        names.setdefault((case.source, f"{case.file}.csv"), []).append(case.name)
    places = []
    for entry in index():
        key = (entry["document"], entry["file"])
        if document not in (None, key[0]):
            continue
        if key in names:
            verdicts = {study.verdict for study in done.get(key, [])}
            state = max(verdicts, key=STATES.index) if verdicts and verdicts <= {*VERDICTS, "identity"} else "not run"
            why = ", ".join(names[key])
        else:
            state, why = scope()[key]
        lines = f"{entry['first_line']} to {entry['last_line']}"
        places.append(Place(key[0], entry["label"], entry["file"], entry["title"], lines, state, why))
    return places


def counts(places: Sequence[Place]) -> list[tuple[str, str, tuple[int, ...]]]:
    """Document, title, tables by state: with a case, identity, input, out of scope."""
    rows: list[tuple[str, str, tuple[int, ...]]] = []
    for document, group in groupby(places, key=lambda place: place.document):
        states = Counter(place.state for place in group)
        cases = sum(states[state] for state in (*VERDICTS, "not run"))
        source = sources()[document]
        title = f"{source['title']} ({source['publisher']}, {source['year']})"
        rows.append((document, title, (cases, states["identity"], states["input"], states["out of scope"])))
    return rows
