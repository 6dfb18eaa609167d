"""What several files of tests share."""

import pytest


@pytest.fixture(scope="session")
def studies():
    """Every case of the validation suite by its name, run once a session on all cores."""
    import qnsolve_validation

    return {study.case.name: study for study in qnsolve_validation.studies()}
