"""Stripes that the log needs for next year's rate.

IMS 12 on a DS8700, 74 KB of log a transaction (document ims12, table 8): a full log wrote 154 MB/s without stripes and 228
with 2. A law a + b/stripes through both gives the other numbers; 354 MB/s were measured with 8.
"""

from math import isnan

import qnsolve as qn
from qnsolve import zos

MEASURED = {1: 154, 2: 228}  # stripes: MiB/s
SIZE = 74 * 1024  # bytes of log a transaction
RATE = 3000  # transactions a second next year


def site(stripes: int) -> zos.System:
    """Fast path regions that write a log."""
    return zos.System(
        lpars=[zos.Lpar("IMSA", processors=zos.Processors(5))],
        loggers=[zos.Logger.fitted("OLDS", stripes=stripes, mib_per_second=MEASURED)],
        regions=[zos.ImsRegions("IFP", lpar="IMSA", regions=100)],
        work=[zos.Work("update", rate=RATE, regions="IFP", cpu=0.0004, log_bytes={"OLDS": SIZE})],
    )


def main() -> dict[int, tuple[float, float, float]]:
    """By stripes: MiB/s at most, log busy in percent and response in ms; nan where the log is saturated."""
    answers = {}
    for stripes in (1, 2, 3, 4, 6, 8):
        system = site(stripes)
        most = system.loggers[0].bandwidth
        try:
            found = system.solve()
            answers[stripes] = (most, found["OLDS"].busy_percent, 1000 * found["update"].response_time)
        except qn.SaturatedError:
            answers[stripes] = (most, float("nan"), float("nan"))
    return answers


if __name__ == "__main__":
    print(f"{RATE} transactions a second, {SIZE / 1024:g} KB of log each")
    print("stripes  at most MiB/s  tran/s at most  log busy %  response ms")
    for stripes, (most, busy, response) in main().items():
        last = "  the log is full" if isnan(busy) else f"{busy:12.1f}{response:13.2f}"
        print(f"{stripes:7d}{most:15.0f}{most * 2**20 / SIZE:16.0f}{last}")
