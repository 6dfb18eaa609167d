"""Work beside QR TCBs that does not come from them, against simulation."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.free_pieces import KINDS, checked, simulated, stored

pytestmark = pytest.mark.slow
UNSEEN = 3  # the salt that nothing was tuned on
MEAN = {"bare": 4.0, "mixed": 2.0, "jvm": 1.0, "long": 5.0}  # percent


def test_errors_on_systems_that_were_not_tuned_on() -> None:
    """In the mean of each kind of other work, of the worse of the two works, without half widths of the references."""
    found = list(checked(UNSEEN))
    assert len(found) >= 40
    for kind in KINDS:
        errors = np.abs([one.errors for one in found if one.kind == kind])
        widths = np.array([one.widths for one in found if one.kind == kind])
        assert 100 * np.maximum(errors - widths, 0.0).mean(axis=0).max() < MEAN[kind], kind


def test_a_reference_is_simulated_again() -> None:
    """The same seed gives the stored figures."""
    name = f"jvm/1/{UNSEEN}"
    again = simulated("jvm", 1, UNSEEN)
    assert again is not None
    assert again[0][0] == pytest.approx(stored()[name][0][0], rel=1e-5)
