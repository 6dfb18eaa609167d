"""What becomes of a file of any content: read to finite figures that are written and read back, or refused in one line."""

from __future__ import annotations

import io
import json
import math

import numpy as np
import qnsolve as qn


def _refuse(word: str) -> None:
    raise AssertionError(f"{word} is not valid JSON")


def outcome(raw: bytes) -> str:
    """Read the bytes: "read" or "refused"; anything else is an AssertionError or the error itself."""
    try:
        found = qn.measure.read(io.BytesIO(raw))
    except qn.ModelError as error:
        text = str(error)
        assert text.startswith("input: ")
        assert "\n" not in text
        assert len(text) < 1000
        return "refused"
    assert len(found)
    assert found.series
    assert not np.isinf(found.values).any()
    assert not np.isinf(found.length).any()
    json.loads(found.to_json(), parse_constant=_refuse)
    assert "nan" not in str(found).split("note:")[0].lower() or "nan" in raw.decode("latin-1").lower()
    assert all(math.isfinite(each.factor) for each in found.series)
    again = qn.measure.read(io.StringIO(qn.measure.canonical(found)))
    assert again.series == found.series
    assert again.notes == found.notes
    for name in ("start", "length", "values", "places"):
        np.testing.assert_array_equal(getattr(again, name), getattr(found, name))
    return "read"
