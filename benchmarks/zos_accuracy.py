"""The errors of the mainframe layer on small systems, by area: `python -m benchmarks.zos_accuracy [MODELS] [--layers]`.

With `--layers` systems of a few users are solved by layers too, as larger ones are.
"""

from __future__ import annotations

import sys

import numpy as np
from qnsolve.zos.point import small_system as small

from tests.oracles import system_families

TITLE = "mainframe layer: largest error of a system's figures against its Markov chain"


def table(models: int) -> str:
    """A line a family: systems, and mean, 95th percentile and maximum of the largest error of each [%]."""
    lines = [TITLE, "| family | systems | mean, 95th, max |", "|---|---|---|"]
    for name, family in system_families.FAMILIES.items():
        found = []
        for seed in range(models):
            case = family(np.random.default_rng(seed))
            if case is not None:
                found.append(100 * max(abs(error) for error in system_families.errors(case).values()))
        worst = np.array(found)
        lines.append(f"| {name} | {len(worst)} | {worst.mean():.2f}, {np.quantile(worst, 0.95):.2f}, {worst.max():.2f} % |")
    return "\n".join(lines)


if __name__ == "__main__":
    if "--layers" in sys.argv:
        sys.argv.remove("--layers")
        small.STATES = 0
    sys.stdout.write(table(int(sys.argv[1]) if len(sys.argv) > 1 else 40) + "\n")
