"""Worker processes from the server's side: one request at a time each, a newer one stops an older one of its page."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from typing import Any

from qnsolve.errors import QnsolveError

from .planner_worker import BEHIND

SOON = 1.0  # seconds that the processes of the first curve have to themselves when they start
MOST_PAGES = 500  # of which the numbers of their last requests are known
PATIENCE = 4.0  # seconds in which a process must have stopped what it was told to stop
WORKER = "qnsolve_excel.planner.planner_worker"


class TaskError(Exception):
    """A request that has no answer.

    Attributes
    ----------
    item : str
        What is wrong, as the user knows it; "" where nothing is named.
    """

    def __init__(self, text: str, item: str = "") -> None:
        super().__init__(text)
        self.item = item


class Lane:
    """One worker process.

    Parameters
    ----------
    name : str
    behind : bool, default False
        Whether its work gives way to that of others: to the first curve and the drawing of it.
    """

    def __init__(self, name: str, *, behind: bool = False) -> None:
        self.name, self.behind = name, behind
        self.number = 0
        self.process: subprocess.Popen[bytes] | None = None
        self.lock = asyncio.Lock()
        self.open: dict[int, asyncio.Future[dict[str, Any]]] = {}

    def start(self) -> None:
        """Start the process, so that the first request finds it ready."""
        if self.process is not None and self.process.poll() is None:
            return
        calm = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        command = [sys.executable, "-m", WORKER, *([BEHIND] if self.behind else [])]
        pipe, none = subprocess.PIPE, subprocess.DEVNULL
        flags = getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0) if self.behind else 0  # of Windows
        self.process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=none, env={**os.environ, **calm}, creationflags=flags
        )
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, args=(self.process, loop), daemon=True).start()

    async def ask(self, task: str, given: dict[str, Any], longest: float) -> dict[str, Any]:
        """The answer of a task.

        Parameters
        ----------
        task : str
        given : dict
        longest : float
            Time that it may take [s].

        Raises
        ------
        TaskError
        asyncio.CancelledError
            Where the caller was cancelled; the process has then stopped, and is free.
        """
        async with self.lock:
            self.start()
            self.number += 1
            number = self.number
            future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
            self.open[number] = future
            try:
                self._write({"id": number, "task": task, "given": given})
                answer = await asyncio.wait_for(asyncio.shield(future), longest)
            except TimeoutError:
                await self._stop(number, future)
                raise TaskError(f"{task}: takes more than {longest:g} s; ask for fewer periods, or a smaller model") from None
            except asyncio.CancelledError:
                await asyncio.shield(self._stop(number, future))
                raise
            finally:
                self.open.pop(number, None)
        if "error" in answer:
            raise TaskError(answer["error"], answer.get("item", ""))
        if "answer" not in answer:
            raise TaskError(f"{task}: the process that computes ended; try again")
        found: dict[str, Any] = answer["answer"]
        return found

    async def _stop(self, number: int, future: asyncio.Future[dict[str, Any]]) -> None:
        """Stop a request; a process that does not is ended, and a new one takes its place."""
        self._write({"stop": number})
        _, late = await asyncio.wait({future}, timeout=PATIENCE)
        if late:
            self.end()
            self.start()

    def _write(self, message: dict[str, Any]) -> None:
        process = self.process
        assert process is not None, "a lane is started before it is asked"
        assert process.stdin is not None, "it has a pipe"
        try:
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
        except OSError:
            self._ended(process)

    def _read(self, process: subprocess.Popen[bytes], loop: asyncio.AbstractEventLoop) -> None:
        assert process.stdout is not None, "it has a pipe"
        with process.stdout:
            for line in process.stdout:
                answer = json.loads(line)
                _soon(loop, self._arrived, answer["id"], answer)
        process.wait()
        _soon(loop, self._ended, process)

    def _arrived(self, number: int, answer: dict[str, Any]) -> None:
        future = self.open.get(number)
        if future is not None and not future.done():
            future.set_result(answer)

    def _ended(self, process: subprocess.Popen[bytes]) -> None:
        if process is self.process:
            for number in list(self.open):
                self._arrived(number, {})

    def end(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            if self.process.stdin is not None:
                with contextlib.suppress(OSError):
                    self.process.stdin.close()
            self.process = None


def _soon(loop: asyncio.AbstractEventLoop, call: Any, *given: Any) -> None:
    with contextlib.suppress(RuntimeError):  # the server ended meanwhile
        loop.call_soon_threadsafe(call, *given)


class Lanes:
    """Four processes, and what each page last asked for.

    Two are for what a planner waits for: they are free at once, as the study has one of its own, and what takes longer another.
    """

    def __init__(self) -> None:
        self.near, self.far = Lane("near"), Lane("far")
        self.whole, self.long = Lane("whole", behind=True), Lane("long")
        self.newest: dict[tuple[str, str], asyncio.Future[Any]] = {}
        self.numbers: dict[tuple[str, str], int] = {}
        self.timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Start those that the first curve needs, and soon the one of the study, if it was not asked before."""
        self.near.start()
        self.far.start()
        self.timer = asyncio.get_running_loop().call_later(SOON, self.whole.start)

    async def latest(self, sender: tuple[str, int], kind: str, work: Callable[[], Awaitable[Any]]) -> Any:
        """The result of that work; what still runs of the same page and kind is stopped first.

        Parameters
        ----------
        sender : (str, int)
            The page, and the number of its request, or 0: an older one that comes after a newer one is not begun.
        kind : str
        work : callable

        Raises
        ------
        SupersededError
            Where a newer one came.
        """
        page, number = sender
        key = (page, kind)
        if number and number < self.numbers.get(key, 0):
            raise SupersededError
        self.numbers.pop(key, None)
        self.numbers[key] = number
        if len(self.numbers) > MOST_PAGES:
            self.numbers.pop(next(iter(self.numbers)))
        before = self.newest.get(key)
        if before is not None:
            before.cancel()
        task: asyncio.Future[Any] = asyncio.ensure_future(work())
        self.newest[key] = task
        try:
            return await task
        except asyncio.CancelledError:
            if self.newest.get(key) is not task:
                raise SupersededError from None
            task.cancel()
            raise
        finally:
            if self.newest.get(key) is task:
                del self.newest[key]

    def end(self) -> None:
        """End all."""
        if self.timer is not None:
            self.timer.cancel()
        for lane in (self.near, self.far, self.whole, self.long):
            lane.end()


class SupersededError(QnsolveError):
    """A newer request of the same page came."""
