"""Which TCB a CICS program runs on: its changes of TCB, and its CPU on the QR TCB and on open TCBs."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

from qnsolve.errors import ModelError
from qnsolve.model import checks

from .processors import flag

APIS = ("CICSAPI", "OPENAPI")
CONCURRENCIES = ("QUASIRENT", "THREADSAFE", "REQUIRED")
EXECKEYS = ("CICS", "USER")
CPU = ("task_cpu", "application_cpu", "db2_cpu", "threadsafe_cpu", "non_threadsafe_cpu")
COUNTS = ("db2_calls", "threadsafe_commands", "non_threadsafe_commands")


def change_modes(
    concurrency: str = "QUASIRENT",
    *,
    api: str = "CICSAPI",
    xplink: bool = False,
    stgprot: bool = True,
    execkey: str = "USER",
    db2_calls: float = 0,
    non_threadsafe_commands: float = 0,
    turns: float | None = None,
) -> float:
    """Changes of TCB of one task.

    Parameters
    ----------
    concurrency : {"QUASIRENT", "THREADSAFE", "REQUIRED"}
        CONCURRENCY of the program. OPENAPI and XPLINK programs are never QUASIRENT, and
        run as REQUIRED does.
    api : {"CICSAPI", "OPENAPI"}, default "CICSAPI"
        API of the program.
    xplink : bool, default False
        Whether it is a C or C++ program compiled with XPLINK.
    stgprot : bool, default True
        STGPROT of the region: whether programs in user key have TCBs of their own (L9, X9).
    execkey : {"CICS", "USER"}, default "USER"
        EXECKEY of the program.
    db2_calls : float, default 0
        Calls to Db2 or MQ of one task [count].
    non_threadsafe_commands : float, default 0
        CICS commands that are not threadsafe [count]. Threadsafe ones change no TCB.
    turns : float, optional
        For THREADSAFE: how often a task goes from the QR TCB to Db2 or MQ, as calls without
        such a command between them are one turn [count]; the two spread evenly where left
        out, which is the most there can be.

    Returns
    -------
    float
        The change to the open TCB at the start and the one back to the QR TCB at the end included.

    Raises
    ------
    ModelError

    Notes
    -----
    Tables 4-1, 4-2 and 4-3 of IBM's CICS TS for z/OS V5 Performance Report (SG24-8298).
    The first call of a program in another language environment, and waits, can add some.

    Examples
    --------
    150 reads of a Db2 row, each followed by a command that is not threadsafe:

    >>> from qnsolve import zos
    >>> [zos.change_modes(c, db2_calls=150, non_threadsafe_commands=150) for c in ("THREADSAFE", "REQUIRED")]
    [300.0, 302.0]
    >>> zos.change_modes("REQUIRED", db2_calls=150)
    2.0
    """
    checks.choice("concurrency", concurrency, CONCURRENCIES)
    checks.choice("api", api, APIS)
    checks.choice("execkey", execkey, EXECKEYS)
    flag("xplink", xplink)
    flag("stgprot", stgprot)
    calls = checks.number("db2_calls", db2_calls)
    commands = checks.number("non_threadsafe_commands", non_threadsafe_commands)
    most = min(calls, commands + 1)
    if turns is not None and concurrency != "THREADSAFE":
        raise ModelError("turns", "goes with THREADSAFE", "take it out", turns)
    taken = most if turns is None else checks.number("turns", turns)
    if taken > most:
        rule = f"must be at most {most:g}: each needs a call, and a command that is not threadsafe between two"
        raise ModelError("turns", rule, "count them again", turns)
    if xplink or api == "OPENAPI":
        if concurrency == "QUASIRENT":
            raise ModelError("concurrency", "OPENAPI and XPLINK programs run on open TCBs", "write REQUIRED", concurrency)
        own = xplink or (stgprot and execkey == "USER")  # X8, X9 and L9: Db2 and MQ need an L8
        return 2 * (commands + own * calls) + 2
    if concurrency == "QUASIRENT":
        return 2 * calls
    return 2 * taken if concurrency == "THREADSAFE" else 2 * commands + 2


@dataclass(frozen=True)
class Program:
    """A CICS program once, for every CONCURRENCY that it may be defined with.

    All CPU times are of one task.

    Parameters
    ----------
    task_cpu : float, default 0
        Start and end of the task: on the QR TCB always [s].
    application_cpu : float, default 0
        The program's own code [s].
    db2_calls, db2_cpu : float, default 0
        Calls to Db2 or MQ [count], and their CPU together: on an open TCB always [s].
    threadsafe_commands, threadsafe_cpu : float, default 0
        Threadsafe CICS commands [count], and their CPU together: where the program runs [s].
    non_threadsafe_commands, non_threadsafe_cpu : float, default 0
        The others [count], and their CPU together: on the QR TCB always [s].
    api, xplink, stgprot, execkey, turns
        As for `change_modes`.
    open_share : float, optional
        For THREADSAFE: share of the program's own code and threadsafe commands that comes
        after a call to Db2 or MQ and before the next command that is not threadsafe [0..1]; with
        both spread evenly where left out.

    Raises
    ------
    ModelError

    Examples
    --------
    >>> from qnsolve import zos
    >>> program = zos.Program(task_cpu=0.00025, application_cpu=0.0005, db2_calls=200, db2_cpu=0.0005)
    >>> program.step("QUASIRENT")
    {'qr_cpu': 0.00075, 'open_cpu': 0.0005, 'change_modes': 400.0}
    >>> program.step("REQUIRED")
    {'qr_cpu': 0.00025, 'open_cpu': 0.001, 'change_modes': 2.0}
    >>> work = zos.Work("order", rate=500, regions="AOR1", **program.step("QUASIRENT"))
    """

    _: KW_ONLY
    task_cpu: float = 0.0
    application_cpu: float = 0.0
    db2_calls: float = 0.0
    db2_cpu: float = 0.0
    threadsafe_commands: float = 0.0
    threadsafe_cpu: float = 0.0
    non_threadsafe_commands: float = 0.0
    non_threadsafe_cpu: float = 0.0
    api: str = "CICSAPI"
    xplink: bool = False
    stgprot: bool = True
    execkey: str = "USER"
    turns: float | None = None
    open_share: float | None = None

    def __post_init__(self) -> None:
        for part in (*CPU, *COUNTS):
            checks.assign(self, **{part: checks.number(f"program: {part}", getattr(self, part))})
        if self.open_share is not None:
            share = checks.number("program: open_share", self.open_share)
            if share > 1:
                raise ModelError("program: open_share", "must lie within 0 and 1", "write a share", self.open_share)
            checks.assign(self, open_share=share)
        for calls, cpu in zip(COUNTS, ("db2_cpu", "threadsafe_cpu", "non_threadsafe_cpu"), strict=True):
            if getattr(self, cpu) and not getattr(self, calls):
                raise ModelError(f"program: {calls}", f"is 0 and {cpu} is not", "count what that CPU is for", 0)
        try:
            self.change_modes("THREADSAFE")
        except ModelError as error:
            error.item = f"program: {error.item}"
            raise

    @property
    def concurrencies(self) -> tuple[str, ...]:
        """What it may be defined with: OPENAPI and XPLINK programs are never QUASIRENT."""
        return CONCURRENCIES[1:] if self.xplink or self.api == "OPENAPI" else CONCURRENCIES

    def change_modes(self, concurrency: str) -> float:
        """Changes of TCB of one task [count].

        Parameters
        ----------
        concurrency : {"QUASIRENT", "THREADSAFE", "REQUIRED"}
        """
        return change_modes(
            concurrency,
            api=self.api,
            xplink=self.xplink,
            stgprot=self.stgprot,
            execkey=self.execkey,
            db2_calls=self.db2_calls,
            non_threadsafe_commands=self.non_threadsafe_commands,
            turns=self.turns if concurrency == "THREADSAFE" else None,
        )

    def step(self, concurrency: str) -> dict[str, Any]:
        """What a `Step` says of one task: `qr_cpu`, `open_cpu`, `change_modes`.

        Parameters
        ----------
        concurrency : {"QUASIRENT", "THREADSAFE", "REQUIRED"}
        """
        modes = self.change_modes(concurrency)
        on_open = self._open_share(concurrency)
        own = self.application_cpu + self.threadsafe_cpu
        return {
            "qr_cpu": self.task_cpu + self.non_threadsafe_cpu + (1 - on_open) * own,
            "open_cpu": self.db2_cpu + on_open * own,
            "change_modes": modes,
        }

    def _open_share(self, concurrency: str) -> float:
        """Share of the program's own code on open TCBs."""
        if concurrency == "QUASIRENT":
            return 0.0
        if concurrency == "REQUIRED" or self.xplink or self.api == "OPENAPI":
            return 1.0
        if self.open_share is not None:
            return self.open_share
        # code comes before, between and after the calls and commands: after a call it is on an open TCB
        return self.db2_calls / (self.db2_calls + self.non_threadsafe_commands + 1)
