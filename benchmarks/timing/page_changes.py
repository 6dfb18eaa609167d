"""Time from a key in a field of the planner's page to the new curve on the screen, in Chromium.

`python -m benchmarks.timing.page_changes [FILE ...]` steps figures of each site of `page_models.py` and of system files, one
at a time, after the study of the one before is there.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from qnsolve_excel.planner.lanes import Lane

from benchmarks.timing.page_models import Scenario, page_scenarios
from benchmarks.timing.table import duration, table
from tests.support.browser import Browser, chromium
from tests.support.planner_host import planning
from tests.support.planner_page import SETTLED

CHANGES = 12
CURVE = ("today", "later", "first")  # what the processes do for it
PAUSE = 0.15  # seconds after a first curve at which the next figure is changed while the study runs
CLOCK = """window.clocked = {};
document.addEventListener('keydown', (event) => { clocked = { key: event.timeStamp }; }, true);
const measured = performance.measure.bind(performance);
performance.measure = (name, times) => {
  if (name.startsWith('first')) {
    const mine = clocked;
    Object.assign(mine, { begin: times.start, drawn: times.end });
    requestAnimationFrame(() => setTimeout(() => { mine.painted = performance.now(); }));
  }
  return measured(name, times);
};"""
ASKED = "performance.getEntriesByType('resource').filter((each) => each.name.endsWith('api/quick')).at(-1)"
PARTS = f"""(() => {{ const asked = {ASKED};
  return {{ ...clocked, sent: asked.requestStart, answered: asked.responseEnd }}; }})()"""
FIELDS = """JSON.stringify([...document.querySelectorAll('#tree input[data-path]')]
  .filter((each) => Number(each.value) && !each.closest('.more')).map((each) => each.id))"""


@dataclass
class Change:
    """One change [s].

    Attributes
    ----------
    whole : float
        From the key to the picture.
    asked : float
        From the key to the request.
    served : float
        From the request to the answer.
    drawn, painted : float
        From the answer to the end of the drawing, and on to the screen.
    solved : dict of task to (float, float)
        What the processes did: wall and CPU [s].
    """

    whole: float
    asked: float
    served: float
    drawn: float
    painted: float
    solved: dict[str, tuple[float, float]]

    @property
    def cpu(self) -> float:
        """Of the processes, for the first curve [s]."""
        return sum(self.solved[task][1] for task in CURVE)


def main(arguments: list[str] | None = None) -> int:
    """Print a row a site."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.timing.page_changes", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--each", action="store_true", help="print every change")
    parser.add_argument("--running", action="store_true", help="change each figure while the study of the one before runs")
    parser.add_argument("--only", default="", metavar="WORD", help="sites whose name has it")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder, chromium(Path(folder)) as browser:
        browser.ask("Page.enable")
        browser.ask("Page.addScriptToEvaluateOnNewDocument", source=CLOCK)
        browser.size(1280, 900)
        for number, scenario in enumerate(each for each in page_scenarios(options.files) if options.only in each["name"]):
            found = timed(browser, scenario, running=options.running)
            _print(_row(scenario["name"], found, head=not number))
            if options.each:
                _print(_each(found))
    return 0


def timed(browser: Browser, scenario: Scenario, *, running: bool) -> list[Change]:
    """The changes of a site.

    Parameters
    ----------
    browser : Browser
    scenario : dict
    running : bool
        Whether the study of the figure before still runs.
    """
    with planning({"scenarios": [scenario], "current": 0}) as host, _watched() as solved:
        browser.ask("Page.navigate", url=host.address)
        browser.until(SETTLED)
        fields = json.loads(browser.evaluate(FIELDS))
        found = []
        for number in range(CHANGES):
            field = fields[number * len(fields) // CHANGES]
            browser.evaluate(_reach(field))
            solved.clear()
            browser.evaluate("clocked = {}")
            browser.type("ArrowDown" if number % 2 else "ArrowUp")
            browser.until("!!clocked.painted || !!clocked.key && !!document.querySelector('.wrong')")
            at: dict[str, float] = browser.evaluate(PARTS)
            if "painted" not in at:
                continue  # a figure that cannot be
            parts = ("key", "sent", "answered", "drawn", "painted")
            asked, served, drawn, painted = ((at[b] - at[a]) / 1e3 for a, b in pairwise(parts))
            found.append(Change((at["painted"] - at["key"]) / 1e3, asked, served, drawn, painted, dict(solved)))
            if running:
                time.sleep(PAUSE)
            else:
                browser.until(SETTLED)
        browser.until(SETTLED)
    return found


def _reach(field: str) -> str:
    """The field has the cursor."""
    opened = "for (let box = one.closest('details'); box; box = box.parentElement.closest('details')) box.open = true;"
    return f"(() => {{ const one = document.getElementById({json.dumps(field)}); {opened} one.focus(); }})()"


@contextmanager
def _watched() -> Iterator[dict[str, tuple[float, float]]]:
    """The tasks that processes did last: wall and CPU [s]."""
    asked, found = Lane.ask, dict[str, tuple[float, float]]()

    async def ask(self: Lane, task: str, given: dict[str, Any], longest: float) -> dict[str, Any]:
        begin, before = time.perf_counter(), _cpu(self)
        answer = await asked(self, task, given, longest)
        found[task] = time.perf_counter() - begin, _cpu(self) - before
        return answer

    Lane.ask = ask  # type: ignore[method-assign]
    try:
        yield found
    finally:
        Lane.ask = asked  # type: ignore[method-assign]


def _cpu(lane: Lane) -> float:
    """CPU that the process of a lane has used [s]."""
    if lane.process is None:
        return 0.0
    each = Path(f"/proc/{lane.process.pid}/task").glob("*/schedstat")
    return sum(int(one.read_text(encoding="ascii").split()[0]) for one in each) / 1e9


def _row(name: str, found: list[Change], *, head: bool) -> str:
    middle = [median(getattr(each, part) for each in found) for part in ("whole", "asked", "served", "drawn", "painted", "cpu")]
    worst = max(each.whole for each in found)
    most = max(each.cpu for each in found)
    cells = [name, str(len(found)), duration(middle[0]), duration(worst)]
    cells += [*map(duration, middle[1:]), duration(most)]
    names = ["site", "changes", "median", "worst", "to request", "served", "drawn", "painted", "CPU", "most CPU"]
    widths = [32, 7, 8, 8, 10, 8, 8, 8, 8, 8]
    lines = [names, cells] if head else [cells]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)


def _each(found: list[Change]) -> str:
    lines = []
    for one in found:
        tasks = ", ".join(f"{name} {duration(wall)} ({duration(cpu)} CPU)" for name, (wall, cpu) in one.solved.items())
        lines.append([duration(getattr(one, part)) for part in ("whole", "asked", "served", "drawn", "painted")] + [tasks])
    return table(["whole", "to request", "served", "drawn", "painted", "processes"], lines, "rrrrrl")


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
