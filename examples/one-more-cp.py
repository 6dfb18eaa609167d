"""One more CP, or a threadsafe application on the same CPs: which of them carries next year's load.

An AOR serves 120 transactions a second on its QR TCB and on the CPs of the LPAR. Next year brings 60 % more. The
application uses 6 ms of CPU a transaction, of which 5 ms run on the QR TCB; threadsafe, 1 ms would be left there.
"""

import qnsolve as qn


def region(rate: float, on_qr: float, beside: float, cps: int) -> qn.Network:
    """One AOR: its QR TCB, and the CPs for the work beside it (s and tran/s)."""
    return qn.Network(
        stations=[qn.Queue("QR TCB"), qn.Queue("CPs", servers=cps)],
        classes=[qn.OpenClass("tran", arrival_rate=rate, demands={"QR TCB": on_qr, "CPs": beside})],
        name=f"AOR at {rate:g}/s",
    )


def answer(name: str, model: qn.Network) -> str:
    """One line: the response, or the station that is saturated."""
    try:
        done = qn.solve(model)["tran"]
    except qn.SaturatedError as error:
        return f"{name}: saturated: {error}"
    return f"{name}: {1000 * done.response_time:.2f} ms; bottleneck {done.bottleneck}, limit {done.highest_throughput:.0f}/s"


def main() -> dict[str, str]:
    """The answers by choice."""
    choices = {
        "today": region(120, 0.005, 0.001, 3),
        "next year": region(192, 0.005, 0.001, 3),
        "next year, one more CP": region(192, 0.005, 0.001, 4),
        "next year, 20 % more": region(230, 0.005, 0.001, 4),
        "next year, 20 % more, threadsafe": region(230, 0.001, 0.005, 3),
    }
    return {name: answer(name, model) for name, model in choices.items()}


if __name__ == "__main__":
    print("\n".join(main().values()))
