"""A process that computes for the page: requests and answers as lines of JSON; a request can be stopped."""

from __future__ import annotations

import ctypes
import json
import os
import queue
import sys
import threading
from typing import IO, Any

from qnsolve.errors import ModelError, QnsolveError, one_line

BEHIND = "--behind"  # the argument of a process whose work gives way to that of others
NICE = 5  # steps of priority by which it does


class StoppedError(BaseException):
    """A newer request came; no `except Exception` on the way holds it up."""


class PlannerWorker:
    """Answers requests in the main thread; a thread beside it reads them, and stops the one that runs where it is told to.

    Parameters
    ----------
    source, out : binary files
    """

    def __init__(self, source: IO[bytes], out: IO[bytes]) -> None:
        self.source, self.out = source, out
        self.waiting: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self.lock = threading.Lock()
        self.running: int | None = None
        self.stopped: set[int] = set()
        self.main = threading.get_ident()

    def run(self) -> None:
        """Until the source ends."""
        threading.Thread(target=self._read, daemon=True).start()
        while (request := self.waiting.get()) is not None:
            answer = self._answered(request)
            self.out.write(json.dumps(answer, allow_nan=False).encode() + b"\n")
            self.out.flush()

    def _read(self) -> None:
        for line in self.source:
            message = json.loads(line)
            if "stop" not in message:
                self.waiting.put(message)
                continue
            with self.lock:
                self.stopped.add(message["stop"])
                if self.running == message["stop"]:
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.main), ctypes.py_object(StoppedError))
        self.waiting.put(None)

    def _answered(self, request: dict[str, Any]) -> dict[str, Any]:
        number = request["id"]
        answer: dict[str, Any] = {"id": number, "stopped": True}
        try:
            with self.lock:
                if number not in self.stopped:
                    self.running = number
            if self.running == number:
                answer = {"id": number, **_done(request["task"], request["given"])}
            with self.lock:
                self.running = None
            for _ in range(100):  # an error that is on its way is raised at the end of a loop's step
                pass
        except StoppedError:
            answer = {"id": number, "stopped": True}
        with self.lock:
            self.running = None
            self.stopped.discard(number)
        return answer


def _done(task: str, given: dict[str, Any]) -> dict[str, Any]:
    from qnsolve.planning.study import plain

    from .planner_tasks import TASKS

    try:
        return {"answer": plain(TASKS[task](given))}
    except QnsolveError as error:
        item = error.item if isinstance(error, ModelError) else ""
        return {"error": str(error), "item": item}
    except MemoryError:
        return {"error": "the model needs more memory than there is; take fewer regions or users", "item": ""}
    except Exception as error:  # a fault of ours: the page stays, and says what to report
        return {"error": one_line(f"internal error, please report it: {type(error).__name__}: {error}"), "item": ""}


def main() -> None:
    """The process: what anything prints goes to standard error, the answers alone to the pipe."""
    if BEHIND in sys.argv and hasattr(os, "nice"):
        os.nice(NICE)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    from . import planner_tasks  # noqa: F401 - all that a request needs is loaded before the first one

    PlannerWorker(sys.stdin.buffer, out).run()


if __name__ == "__main__":
    main()
