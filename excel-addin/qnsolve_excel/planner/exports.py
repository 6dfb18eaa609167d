"""Files that the page hands out: the study as page, workbook and data, the model as a file and as a worksheet."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from qnsolve.errors import ModelError, nearest
from qnsolve.files.load_save import dumps
from qnsolve.files.model_file import STUDY
from qnsolve.files.text import toml, toml_key
from qnsolve.planning.question import KEYS
from qnsolve.planning.study import Study

from .opened_files import system_of
from .questions import asked_of

KINDS = {
    "html": "text/html",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "json": "application/json",
    "toml": "application/toml",
    "workbook": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def exported(given: Mapping[str, Any], study_of: Callable[[Mapping[str, Any]], Study]) -> tuple[str, str, bytes]:
    """Name, type and content of a file.

    Parameters
    ----------
    given : mapping
        `kind`, `model`, `question`, `name`.
    study_of : callable
        Gives the study of a model and a question.

    Raises
    ------
    ModelError
    """
    kind = given.get("kind")
    if kind not in KINDS:
        raise ModelError("export", f"must be one of {', '.join(KINDS)}", nearest(kind, KINDS), kind)
    name = "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in str(given.get("name") or "system"))[:60]
    if kind == "toml":
        return f"{name}.toml", KINDS[kind], model_text(given["model"], given.get("question", {})).encode()
    if kind == "workbook":
        return f"{name}-worksheet.xlsx", KINDS[kind], _worksheet(given["model"], given.get("question", {}), name)
    study = study_of({**given, "remedies": False})
    return f"{name}-study.{kind}", KINDS[kind], _study(study, kind)


def _study(study: Study, kind: str) -> bytes:
    from qnsolve.planning.pages.study_html import study_html
    from qnsolve.planning.pages.study_xlsx import study_xlsx

    if kind == "html":
        return study_html(study).encode()
    if kind == "xlsx":
        return study_xlsx(study)
    return (json.dumps(study.as_dict(), allow_nan=False, ensure_ascii=False, indent=1) + "\n").encode()


def model_text(model: Any, question: Any) -> str:
    """The model file with its question in the table [study]."""
    text = dumps(system_of(model))
    asked = asked_of(question)
    words = {argument: key for key, argument in KEYS.items()}
    if isinstance(asked.get("growth"), Mapping):
        asked["growth"] = {name or "all": each for name, each in asked["growth"].items()}
    table = {words[key]: value for key, value in asked.items()}
    if not table:
        return text
    head = "\n".join([f"[{STUDY}]", *(f"{toml_key(key)} = {toml(value)}" for key, value in table.items())])
    at = text.index("[[")
    return f"{text[:at]}{head}\n\n{text[at:]}"


def _worksheet(model: Any, question: Any, name: str) -> bytes:
    from ..workbooks.sites.site_book import write_site

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.xlsx"
        write_site(system_of(model), name, file, question=asked_of(question))
        return file.read_bytes()
