"""Work: types of transactions, what drives them, and what one transaction needs in each region."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

from qnsolve.errors import ModelError
from qnsolve.model import checks

from .facilities import shares
from .processors import flag

CPU_KEYS = ("qr_cpu", "ro_cpu", "open_cpu", "jvm_cpu", "cpu", "system_cpu")
TCBS = ("qr", "open")
MOST_DISPATCHES = 1000
ROUNDING = 1e-12
ONLY = "the only one"  # stands for the name of the system's only logger or coupling facility


@dataclass(frozen=True)
class Step:
    """What one transaction needs in a region, or in several.

    All times are of one visit, and CPU times those of the processors that `speed` is relative to.

    Parameters
    ----------
    regions : str or sequence of str
        Where it runs.
    shares : sequence of float, optional
        Shares of the visits that the regions get [ratio]; equal where left out.
    visits : float, default 1
        Tasks here of one transaction [per transaction].
    qr_cpu : float, default 0
        CPU on the QR TCB [s]; CICS.
    ro_cpu : float, default 0
        CPU on the RO TCB, or time that a program load holds it [s]; CICS.
    open_cpu : float, default 0
        CPU on open TCBs (L8, L9, X8, X9) [s]; CICS.
    jvm_cpu : float, default 0
        CPU on the threads of the JVM server (T8) [s]; CICS.
    cpu : float, default 0
        CPU in a dependent region [s]; IMS.
    system_cpu : float, default 0
        CPU on the LPAR outside the region, on the way of the transaction [s].
    ziip_share : float, default 0
        Share of `open_cpu`, `jvm_cpu` and `cpu` that may run on zIIPs [0..1].
    cf_requests : mapping of coupling facility or structure to float, optional
        Requests, in the mean, one by one along the CPU of their TCB [per visit]; a number where the system has one
        coupling facility.
    cf_on : {"qr", "open"}, optional
        The TCB that sends them, and that a synchronous request holds with its CP; where
        left out the QR TCB, unless the step has `open_cpu` and no `qr_cpu`.
    log_bytes : mapping of logger to float, optional
        Bytes written [bytes]; a number where the system has one logger.
    devices : mapping of device to float, optional
        Time asked of it [s].
    delay : float, default 0
        Other time in the region without CPU [s].
    change_modes : float, default 0
        Changes of TCB [count]; the LPAR says what one costs.
    qr_dispatches : float, optional
        Times that a task is dispatched on the QR TCB, the count in QRDISPT of its monitoring record [count]: it
        makes as many rounds, with equal parts of all its times, and its pieces wait for the TCB in order of
        arrival. Where left out, tasks make pieces of one length, as many as their CPU needs: they share the TCB.
    tranclass : str, optional
        The TRANCLASS of its tasks, one of the region's.
    called : bool, default True
        The task of the step before waits for this one, as a TOR's does for its AOR's; False
        where it ends first (START, a message queue).
    """

    regions: str | Sequence[str]
    _: KW_ONLY
    shares: Sequence[float] | None = None
    visits: float = 1.0
    qr_cpu: float = 0.0
    ro_cpu: float = 0.0
    open_cpu: float = 0.0
    jvm_cpu: float = 0.0
    cpu: float = 0.0
    system_cpu: float = 0.0
    ziip_share: float = 0.0
    cf_requests: Any = None  # a mapping once it is made
    cf_on: str | None = None
    log_bytes: Any = None  # a mapping once it is made
    devices: Mapping[str, float] | None = None
    delay: float = 0.0
    change_modes: float = 0.0
    qr_dispatches: float | None = None
    tranclass: str | None = None
    called: bool = True

    def __post_init__(self) -> None:
        given = (self.regions,) if isinstance(self.regions, str) else checks.listed("step: regions", self.regions)
        names = tuple(checks.text("step: regions", name) for name in given)
        if not names:
            raise ModelError("step: regions", "must name a region", "write where the work runs", [])
        checks.unique("step: regions", names, "the regions of a step")
        checks.assign(self, regions=names)
        if self.shares is not None:
            parts = checks.listed(f"step in {names[0]!r}: shares", self.shares)
            if len(parts) != len(names):
                raise ModelError(f"step in {names[0]!r}: shares", "must be one for each region", f"write {len(names)}", parts)
            clean = [checks.number(f"step in {names[0]!r}: shares", part, positive=True) for part in parts]
            whole = sum(clean)
            whole = 1.0 if abs(whole - 1) < ROUNDING else whole  # shares that were written by a program stay as they are
            checks.assign(self, shares=tuple(part / whole for part in clean))
        for part in (*CPU_KEYS, "delay", "change_modes", "ziip_share"):
            checks.assign(self, **{part: checks.number(f"step in {names[0]!r}: {part}", getattr(self, part))})
        item = f"step in {names[0]!r}"
        checks.assign(self, visits=checks.number(f"{item}: visits", self.visits, positive=True))
        if self.qr_dispatches is not None:
            dispatches = checks.number(f"{item}: qr_dispatches", self.qr_dispatches)
            if not 1 <= dispatches <= MOST_DISPATCHES:
                rule = f"must be 1 to {MOST_DISPATCHES}"
                raise ModelError(f"{item}: qr_dispatches", rule, "write the count in QRDISPT of one task", dispatches)
            checks.assign(self, qr_dispatches=dispatches)
        if self.ziip_share > 1:
            raise ModelError(f"{item}: ziip_share", "must lie within 0 and 1", "write a share", self.ziip_share)
        for part in ("cf_requests", "log_bytes", "devices"):
            given_part = getattr(self, part)
            if part != "devices" and isinstance(given_part, (int, float)):  # of the only one there is
                amount = checks.number(f"{item}: {part}", given_part)
                given_part = {ONLY: amount} if amount else {}
            checks.assign(self, **{part: shares(f"{item}: {part}", given_part)})
        if self.cf_on is not None:
            checks.choice(f"{item}: cf_on", self.cf_on, TCBS)
        if self.tranclass is not None:
            checks.text(f"{item}: tranclass", self.tranclass)
        flag(f"{item}: called", self.called)

    def share(self, place: int) -> float:
        """Share of the visits that go to one of the regions [0..1]."""
        return self.shares[place] if self.shares is not None else 1 / len(self.regions)

    def naming(self, facilities: Sequence[str], logs: Sequence[str]) -> Step:
        """The same step with the names of the only coupling facility and logger in place of none."""
        found = self
        for part, names in (("cf_requests", facilities), ("log_bytes", logs)):
            amount = getattr(self, part).get(ONLY)
            if amount is None:
                continue
            if len(names) != 1:
                item = f"step in {self.regions[0]!r}: {part}"
                raise ModelError(item, "is a number, which goes with a single one to ask", "write { name = number }", amount)
            changes: dict[str, Any] = {part: {names[0]: amount}}
            found = replace(found, **changes)
        return found

    @property
    def requests_from(self) -> str:
        """The TCB that sends its requests to coupling facilities."""
        return self.cf_on or ("open" if self.open_cpu and not self.qr_cpu else "qr")


@dataclass(frozen=True, init=False)
class Work:
    """A type of transaction: how often it comes, and the steps of one.

    Parameters
    ----------
    name : str
    rate : float, optional
        Transactions that arrive [1/s].
    users : int, optional
        In place of a rate: terminals that send a transaction, wait for the answer, think, and send the next [count].
    think_time : float, default 0
        Mean time between an answer and the next transaction of a user [s].
    burst : float, default 1
        Mean transactions that come together [count]; fitted from measured response times.
    tick : float, default 0
        Time between the ticks of the driver's clock, where transactions begin only there [s]. What comes between two ticks
        begins at the second. Users think whole ticks, counted from the last one before their answer. With a `burst` they are
        in step: they all think equally long, so many of them begin at one tick, and those whose answers come within
        the same tick begin together again.
    steps : sequence of Step
        In order.
    **step
        In place of steps: the parameters of the only one.

    Raises
    ------
    ModelError
    """

    name: str
    rate: float | None
    users: int | None
    think_time: float
    burst: float
    steps: tuple[Step, ...]
    tick: float = 0.0

    def __init__(
        self,
        name: str,
        *,
        rate: float | None = None,
        users: int | None = None,
        think_time: float = 0.0,
        burst: float = 1.0,
        tick: float = 0.0,
        steps: Sequence[Step] | None = None,
        **step: Any,
    ) -> None:
        item = f"work {checks.text('work: name', name)!r}"
        if (rate is None) == (users is None):
            state = "gives neither" if rate is None else "gives both"
            raise ModelError(f"{item}: rate, users", f"either a rate or users; this work {state}", "keep one way")
        if rate is not None and think_time:
            raise ModelError(f"{item}: think_time", "goes with users only", "take it out", think_time)
        if (steps is None) == (not step):
            state = "gives neither" if steps is None else f"gives both (steps and {', '.join(step)})"
            raise ModelError(
                f"{item}: steps", f"either steps, or the figures of the only one; this work {state}", "keep one way"
            )
        if step:
            for key in step:
                if key not in Step.__dataclass_fields__ or key == "_":
                    raise ModelError(f"{item}: {key}", "is an unknown key", "see Work and Step")
            if "regions" not in step:
                raise ModelError(f"{item}: regions", "is missing", "name the region that the work runs in")
            steps = [Step(**step)]
        found = checks.listed(f"{item}: steps", steps)
        if not found or not all(isinstance(one, Step) for one in found):
            raise ModelError(f"{item}: steps", "must hold at least one Step", "build it with Step(...)", found)
        size = checks.number(f"{item}: burst", burst)
        if size < 1:
            raise ModelError(f"{item}: burst", "must be 1 or more", "write the mean transactions that come together", burst)
        clock = checks.number(f"{item}: tick", tick)
        thinks = checks.number(f"{item}: think_time", think_time)
        if clock and size > 1 and users is None:
            raise ModelError(f"{item}: burst", "goes with users where there is a tick", "keep one of the two", burst)
        if clock and users is not None and thinks < clock:
            raise ModelError(f"{item}: think_time", "must be a tick or more", "write its mean, in ticks that are whole", thinks)
        checks.assign(
            self,
            name=name,
            rate=None if rate is None else checks.number(f"{item}: rate", rate, positive=True),
            users=None if users is None else checks.whole(f"{item}: users", users, least=1),
            think_time=thinks,
            burst=size,
            tick=clock,
            steps=found,
        )

    def changed(self, **changes: Any) -> Work:
        """The same work with other values of some parameters."""
        keys = ("rate", "users", "think_time", "burst", "tick", "steps")
        return Work(self.name, **{**{key: getattr(self, key) for key in keys}, **changes})

    def with_steps(self, steps: Sequence[Step]) -> Work:
        """The same work with other steps."""
        return self.changed(steps=steps)
