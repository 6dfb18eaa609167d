"""The page of fields has every known field and role as the code has it."""

from __future__ import annotations

from qnsolve.measure.readers.column_roles import ROLES
from qnsolve.measure.readers.field_names import known_fields
from qnsolve.measure.readers.source_files import FORMATS

from tests.support.pages import page

PAGE = "docs/measurements-fields.md"


def lines_of_fields() -> list[str]:
    """The rows of the table of fields."""
    return [
        f"| {f.report} | `{f.field}` | {', '.join(f.names)} | {f.quantity} | {f.unit} | {f.parameter}: {f.meaning} |"
        for f in known_fields()
    ]


def lines_of_roles() -> list[str]:
    """The rows of the table of roles."""
    return [f"| {role} | {', '.join(names)} |" for role, names in ROLES.items() if role != "place"]


def test_the_page_has_every_field_and_role() -> None:
    """Each row stands in the page as it is made here, and the page has no other field."""
    lines = page(PAGE).splitlines()
    made = [*lines_of_fields(), *lines_of_roles()]
    assert [line for line in made if line not in lines] == []
    reports = {f.report for f in known_fields()}
    listed = [line for line in lines if line.split("|")[1:2] and line.split("|")[1].strip() in reports]
    assert listed == lines_of_fields()


def test_the_page_has_every_format() -> None:
    """Each format has its row."""
    for form in FORMATS:
        assert f"| `{form}` |" in page(PAGE)
