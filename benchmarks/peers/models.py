"""The models of the benchmark, by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.oracles.raw_models import Model


def load() -> tuple[dict[str, str], dict[str, Model]]:
    """Titles of the groups, and the models, both in the order of the file."""
    data = json.loads(Path(__file__).with_name("models.json").read_text(encoding="utf-8"))
    models = {}
    for entry in data["models"]:
        values: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in entry.items()}
        values["demand"] = tuple(tuple(float(d) for d in row) for row in entry["demand"])
        models[entry["name"]] = Model(**values)
    return data["groups"], models
