"""What a study says in sentences: the verdict first, then what a planner can read aloud."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import isfinite

from qnsolve.results.digits import percent, short, time
from qnsolve.results.sentences import be

from .loads.months import counted_months
from .study_figures import Period, StudyFigures, Verdict, WhatIfAnswer, held_at_first

CLAUSE = re.compile(r" \(|[;:,] ")  # where what must be read first ends
GAINS = 3  # what-ifs that the verdict names
NEXT = 3  # centers that fill up next
BEYOND = 5.0  # times what a center gives: no site is asked for that
LITTLE = 0.005  # relative change of CPU that is not named


def study_sentences(study: StudyFigures) -> tuple[str, ...]:
    """Ten sentences at most."""
    return tuple(_sentences(study))[:10]


def _sentences(study: StudyFigures) -> Iterator[str]:
    verdict = study.verdict
    yield verdict_text(study)
    if study.what_ifs:
        yield gains_text(study.what_ifs, verdict)
    first = study.periods[0]
    last = _last(study)
    if first.solved:
        yield f"Today, {first.month}: {_fullest(first)}; {_responses(first)}."
    if last is not None and last is not first:
        yield f"In {last.name}: {_fullest(last)}; {_responses(last)}."
    yield from _grown(study)
    then = [each for each in study.centers if each.full_in and each.limits and each.name != verdict.center][:NEXT]
    if then:
        yield "Next to fill up, if nothing else did: " + ", ".join(f"{each.name} in {each.full_in}" for each in then) + "."
    yield _cpu(first, last)
    seasons = "; seasons: " + "; ".join(study.asked.seasons) if study.asked.seasons else ""
    yield "Growth: " + _growth(study) + seasons + "."


def verdict_text(study: StudyFigures) -> str:
    """The answer in one sentence."""
    verdict, until = study.verdict, study.asked.until
    if verdict.kind == "none" and not study.asked.targets and all(each.users is not None for each in study.system.work):
        first = study.periods[0]
        return f"Users only wait longer, so no load ends it: give a target. {_fullest(first)} today."
    if verdict.kind == "none":
        changes = any(factor != 1 for each in study.periods for factor in each.factors.values())
        return f"Holds until {until} and to {verdict.holds_until} at least" + ("." if changes else ": no work grows.")
    cause = cause_text(study)
    if not verdict.holds_until:
        return f"Does not hold today, {study.asked.begin}: {cause}."
    if verdict.beyond and verdict.holds_until == until:
        return f"Holds until {until}, the end that was asked for{_range(verdict)}; then {cause}."
    if verdict.beyond:
        return f"Holds until {verdict.holds_until}{_range(verdict)}, beyond {until} that was asked for; then {cause}."
    day = "" if len(verdict.first_missed) == 7 else f" on {verdict.first_missed}"
    return f"Holds until {verdict.holds_until}{_range(verdict)}; then{day} {cause}."


def headline(sentence: str) -> tuple[str, str]:
    """The verdict in a few words, and the rest of its sentence."""
    found = CLAUSE.search(sentence)
    return (sentence[: found.start()], sentence[found.start() :]) if found else (sentence, "")


def cause_text(study: StudyFigures) -> str:
    """What ends it."""
    verdict = study.verdict
    waits = f", which waits for {verdict.waits_for} ({_used(verdict.waits_for_percent)} busy)" if verdict.waits_for else ""
    if verdict.kind == "saturated":
        return f"{verdict.center} {be(verdict.center)} full{waits}{_doubt(study)}"
    target = study.asked.targets[verdict.work]
    if not verdict.holds_until:
        return f"{verdict.work} takes longer than {time(target)}, most of it at {verdict.center}{waits}"
    return f"{verdict.work} takes longer than {time(target)}; what grows most is its time at {verdict.center}{waits}"


def _doubt(study: StudyFigures) -> str:
    """A question where the first load is beyond what a site can have: a time in other units than seconds."""
    times = study.periods[0].used_percent / 100
    if study.verdict.holds_until or times < BEYOND:
        return ""
    gives = "they give" if be(study.verdict.center) == "are" else "it gives"
    return f", asked for {short(times)} times what {gives} (are all times in seconds?)"


def gains_text(answers: Sequence[WhatIfAnswer], verdict: Verdict) -> str:
    """What the changes give."""
    if verdict.kind == "none":
        worse = [each for each in answers if each.months < 0]
        if not worse:
            return "With each of the changes it holds as well."
    helped = sorted((each for each in answers if each.months > 0), key=lambda each: -each.months)
    worse = [each for each in answers if each.months < 0]
    same = [each for each in answers if each.months == 0]
    parts = []
    for each in helped[:GAINS]:
        parts.append(f"{each.name} gives {'at least ' * each.at_least}{counted_months(each.months)} (until {each.holds_until})")
    if len(helped) > GAINS:
        more = len(helped) - GAINS
        parts.append(f"{more} more give{'s' if more == 1 else ''} no more than that")
    parts += [f"{each.name} costs {counted_months(-each.months)}" for each in worse[:GAINS]]
    if same:
        names = ", ".join(each.name for each in same[:GAINS]) + (f" and {len(same) - GAINS} more" if len(same) > GAINS else "")
        parts.append(f"{names} change{'s' if len(same) == 1 else ''} nothing" if parts else f"{names}: no month gained")
    return ("By the model: " if verdict.simulated else "") + "; ".join(parts) + "."


def _last(study: StudyFigures) -> Period | None:
    """The last period that holds of those before the first that does not."""
    held = held_at_first(study.periods)
    return held[-1] if held else None


def _fullest(period: Period) -> str:
    return f"{period.fullest} {be(period.fullest)} {_used(period.used_percent)} used"


def _responses(period: Period) -> str:
    words = []
    for work in period.work[:4]:
        target = f" of {time(work.target)}" if isfinite(work.target) else ""
        words.append(f"{work.name} takes {time(work.response_time)}{target}")
    more = len(period.work) - 4
    return ", ".join(words) + (f" and {more} more" if more > 0 else "")


def _grown(study: StudyFigures) -> Iterator[str]:
    """Where the response time that ends it grows."""
    name = study.verdict.work or (study.periods[0].work[0].name if study.periods[0].work else "")
    mine = [each for each in study.times if each.work == name]
    whole = sum(each.last for each in mine)
    if not mine or whole <= 0:
        return
    most = max(mine, key=lambda each: each.last)
    grown = max(mine, key=lambda each: each.last - each.today)
    when = last_month(study)
    text = f"In {when}, {name} spends {_used(100 * most.last / whole)} of its time at {most.center}"
    if grown.last > 1.02 * grown.today:
        text += f"; its time at {grown.center} grows from {time(grown.today)} today to {time(grown.last)}"
    yield text + "."


def last_month(study: StudyFigures) -> str:
    """The month of the last load that holds, by the model; the first month where none does."""
    verdict = study.verdict
    if verdict.kind == "none":
        return study.asked.until
    return verdict.modelled_until or verdict.holds_until or study.asked.begin


def _range(verdict: Verdict) -> str:
    """The months between which it ends, by the stated error of the response times; what the model says beside simulation."""
    if verdict.simulated:
        other = verdict.modelled_until or "no month"
        return f" (simulated; the model says {'the same' if other == verdict.holds_until else other})"
    if not verdict.earliest or not verdict.latest or verdict.earliest == verdict.latest:
        return ""
    return f" ({verdict.earliest} to {verdict.latest} within the error of the method)"


def _cpu(first: Period, last: Period | None) -> str:
    if last is None or not first.cpu_percent or last is first:
        return "CPU: " + (", ".join(f"{name} {_used(value)}" for name, value in first.cpu_percent.items()) or "not known") + "."
    return (
        "CPU: "
        + ", ".join(f"{name} {_used(value)} to {_used(last.cpu_percent[name])}" for name, value in first.cpu_percent.items())
        + f" in {last.name}."
    )


def _growth(study: StudyFigures) -> str:
    asked = study.asked.growth
    same = set(asked.values())
    if len(same) == 1:
        return f"all work {same.pop()} from {study.asked.begin}"
    return ", ".join(f"{name} {text}" for name, text in asked.items()) + f", from {study.asked.begin}"


def _used(value: float) -> str:
    return f"{percent(value)} %"
