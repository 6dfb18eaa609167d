"""The option --target of commands: a name, and a time with or without a unit."""

from __future__ import annotations

import pytest
from qnsolve.cli.targets import targets
from qnsolve.errors import ModelError
from qnsolve.model.yearly_growth import a_year


@pytest.mark.parametrize(
    ("word", "seconds"),
    [
        ("orders=0.2", 0.2),
        ("orders=0.2s", 0.2),
        ("orders=200ms", 0.2),
        ("orders=200 ms", 0.2),
        ("orders=2e2 ms", 0.2),
        ("orders=850us", 0.00085),
        ("orders=850µs", 0.00085),
        ("orders=1.5min", 90.0),
        ("orders=1e-2", 0.01),
    ],
)
def test_time_with_and_without_unit(word: str, seconds: float) -> None:
    """A plain number is in seconds; a unit says otherwise."""
    assert targets([word], "work") == {"orders": pytest.approx(seconds, rel=1e-12)}


def test_names() -> None:
    """A name may have the mark itself; the last word for a name counts."""
    assert targets(["a=b=1", "c=1", "c=2"], "work") == {"a=b": 1.0, "c": 2.0}
    assert targets([], "work") == {}


def test_a_decimal_comma_is_named() -> None:
    """With what to write."""
    with pytest.raises(ModelError, match=r"write 'orders=0\.040', with a point"):
        targets(["orders=0,040"], "work")
    with pytest.raises(ModelError, match=r"write '7\.5%/quarter', with a point"):
        a_year("growth", "7,5%/quarter")


@pytest.mark.parametrize("word", ["0.2", "=0.2", "orders=", "orders=soon", "orders=3 %", "orders=ms", "orders=3 ms/interval"])
def test_no_time(word: str) -> None:
    """What is no name and time is refused, in the words of the command."""
    with pytest.raises(ModelError, match=r"must be CLASS=TIME; write orders=0\.2 or orders=200ms"):
        targets([word], "class")
