"""The tests, by topic: see the folders. Helpers are in `support`, reference solvers in `oracles`."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "tests" / "data"
