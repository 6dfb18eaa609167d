"""qnsolve study: until when a system holds its growing work, and what would help."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qnsolve.cli.measured.ranges import add_draws, fitted
from qnsolve.cli.output import SYSTEM_FILE, add_forms, printed, system
from qnsolve.cli.running import add_running, running
from qnsolve.cli.targets import add_target, targets
from qnsolve.errors import ModelError
from qnsolve.files.load_save import dumps
from qnsolve.files.writing import write_bytes, write_text
from qnsolve.planning.loads.load_words import seasons_of, special_day_of
from qnsolve.planning.question import question_of, still_in_file
from qnsolve.planning.study import study

if TYPE_CHECKING:
    from qnsolve.planning.study import Study

MOST_NAMED = 8  # figures of the template that a note names
PAGE, BOOK, DATA, LAST, NEXT = "study.html", "study.xlsx", "study.json", "last-good.toml", "next.toml"


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `qnsolve study`."""
    parser.add_argument("file", help=f"{SYSTEM_FILE}; its table [study] asks the question, options go before it")
    text = (
        "growth of the load: 8%%/quarter, 15%%/year, 1.08^4 (8 %% four times a year) or forecast.csv; of one work api=15%%/year"
    )
    parser.add_argument("--growth", action="append", default=[], metavar="[WORK=]RATE", help=text + "; may be given again")
    parser.add_argument(
        "--until",
        metavar="MONTH",
        help="last month that must hold, 2027-12 (default: in two years, or when it ends within five)",
    )
    parser.add_argument("--from", dest="begin", metavar="MONTH", help="month of the load in the file (default: this month)")
    add_target(parser, "work")
    text = "a change to try: SYSA.threads=2, LOG.stripes+1, 'AOR*.mxt*1.5', AOR1.split=2; may be given again"
    parser.add_argument("--what-if", action="append", default=[], metavar="CHANGE", help=text)
    parser.add_argument("--by", choices=("quarter", "month", "year"), help="periods of the tables (default: quarter)")
    text = "load of a month over that of a plain one: 12=1.3, Q4=1.2, of one work orders.12=1.5; may be given again"
    parser.add_argument("--season", action="append", default=[], metavar="[WORK.]MONTH=FACTOR", help=text)
    text = "a day with more work than its month: 2027-11-26=1.8, each year 11-26=1.8, orders.11-26=2; may be given again"
    parser.add_argument("--special-day", action="append", default=[], metavar="[WORK.]DAY=FACTOR", help=text)
    parser.add_argument("--remedies", action="store_true", help="try each engine, zIIP, region, stripe and limit as well")
    text = "simulate: points beside the curves, and the last month that holds by simulation (takes a minute or two)"
    parser.add_argument("--simulate", action="store_true", help=text)
    text = f"write {PAGE}, {BOOK}, {DATA} and the models of the last load that holds and the next into this folder"
    parser.add_argument("-o", "--out", metavar="FOLDER", help=text)
    add_draws(parser)
    add_running(parser)
    add_forms(parser, "a period and work")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> str:
    if options.out is not None and (not options.out or (Path(options.out).exists() and not Path(options.out).is_dir())):
        raise ModelError("--out", "must be a folder", "give the name of one; it is made where it is not there", options.out)
    asked, known = _question(options), fitted(options)
    with running(options) as how:
        found = study(system(options.file), **asked, **how)
    found = _with_doubts(found, options.file)
    if options.simulate:
        from qnsolve.planning.simulated_periods import simulated

        with running(options) as how:
            found = simulated(found, progress=how["progress"])
    beside = None
    if known is not None:
        from qnsolve.cli.measured import study_ranges as ranges  # imported here, because few files need it

        with running(options) as how:
            beside = ranges.study_ranges(found, known, options.draws, how)
        found = ranges.with_sentence(found, beside)
        text = ranges.printed_with_ranges(found, beside, options)
    else:
        text = printed(found, options)
    if options.out is not None:
        written = _write(found, Path(options.out), {} if beside is None else {"bands": ranges.as_data(beside)})
        text += "" if options.json or options.csv else "\n" + "\n".join(f"written: {file}" for file in written)
    return text


def _with_doubts(found: Study, file: str) -> Study:
    """The study with a note on figures that nobody has put in yet."""
    still = still_in_file(file) if file != "-" else []
    if not still:
        return found
    more = f"; {len(still) - MOST_NAMED} more" if len(still) > MOST_NAMED else ""
    note = f"still as in the template (from_template may go once they are yours): {'; '.join(still[:MOST_NAMED])}{more}"
    return replace(found, notes=(note, *found.notes), assumptions=(*found.assumptions, note))


def _question(options: argparse.Namespace) -> dict[str, Any]:
    """The question of the file, and that of the options over it."""
    found = {} if options.file == "-" else question_of(options.file)
    if options.growth:
        growth = {}
        for text in options.growth:
            name, _, rate = text.rpartition("=")
            if name in growth:
                rule = "is given twice for " + (name or "all work")
                raise ModelError("--growth", rule, "give each work one: --growth orders=plan.csv --growth 8%/year", text)
            growth[name] = rate
        before = found.get("growth")
        found["growth"] = {**(before if isinstance(before, dict) else {} if before is None else {"": before}), **growth}
    if options.target:
        found["targets"] = {**found.get("targets", {}), **targets(options.target, "work")}
    if options.what_if:
        found["what_ifs"] = [*found.get("what_ifs", ()), *options.what_if]
    if options.season:
        found["seasons"] = seasons_of("--season", options.season, found.get("seasons"))
    if options.special_day:
        days = [special_day_of("--special-day", text) for text in options.special_day]
        found["special_days"] = [*found.get("special_days", ()), *days]
    found |= {key: value for key in ("until", "begin", "by") if (value := getattr(options, key)) is not None}
    if options.remedies:
        found["remedies"] = True
    return found


def _write(found: Study, folder: Path, more: dict[str, Any]) -> list[Path]:
    """The page, the workbook, the data and the two models; each file is written whole or not at all."""
    from qnsolve.planning.pages.study_html import study_html
    from qnsolve.planning.pages.study_xlsx import study_xlsx

    page, book = study_html(found), study_xlsx(found)
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / PAGE, page)
    write_bytes(folder / BOOK, book)
    write_text(folder / DATA, json.dumps({**found.as_dict(), **more}, allow_nan=False, ensure_ascii=False, indent=1) + "\n")
    written = [folder / PAGE, folder / BOOK, folder / DATA]
    for name, model in ((LAST, found.last), (NEXT, found.next)):
        if model is not None:
            write_text(folder / name, dumps(model))
            written.append(folder / name)
    return written
