"""The program `qnsolve`, also as `python -m qnsolve`; Ctrl-C ends it in one line from the first import on."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any, NoReturn

INTERRUPTED = 130


def main() -> int:
    """Run the command line; returns its exit code, 130 after Ctrl-C."""
    interrupted = False

    def interrupt(*_: Any) -> NoReturn:
        nonlocal interrupted
        interrupted = True
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the end of the program is not interrupted again
        raise KeyboardInterrupt

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # matrices are small: threads would wait for each other
    try:
        from .cli.main import main as run

        return run()
    except BaseException:  # numpy, interrupted while it is loaded, raises an ImportError
        if not interrupted:
            raise
    if sys.stderr is not None:
        print("qnsolve: interrupted; no file is incomplete", file=sys.stderr, flush=True)
    os._exit(INTERRUPTED)  # an interrupt inside `exec`, as dataclasses use it, would otherwise end the process by its signal


if __name__ == "__main__":
    sys.exit(main())
