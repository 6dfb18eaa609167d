"""A z13 LPAR moved to a z14 with the same 4 CPs: CPU and response at today's rate, and the rate at 80 % busy.

IMS 14, full function with HALDB (document ims14-z14, table 16). 95 % of the 11.3 ms response are off the CPs: a faster
machine shortens the rest only. Relative capacity is the claimed 1.10; measured are 6416.57 transactions a second at
80.03 % busy.
"""

from qnsolve import zos

CAPACITY = 1.10


def z13() -> zos.System:
    """CPU by address space as measured; time off the CPs so that the response is the measured one."""
    spaces = ("IMS Connect", "IMS", "MPP")
    return zos.System(
        name="IMS 14 on z13",
        lpars=[zos.Lpar("LPAR1", processors=zos.Processors(4))],
        devices=[zos.Device("DASD and locks")],
        regions=[zos.ImsRegions(name, lpar="LPAR1", regions=500) for name in spaces],
        work=[
            zos.Work(
                "order entry",
                rate=6012.12,
                steps=[
                    zos.Step("IMS Connect", cpu=29.13e-6),
                    zos.Step("IMS", cpu=35.95e-6),
                    zos.Step("MPP", cpu=399.34e-6, system_cpu=68.57e-6, devices={"DASD and locks": 0.010341}),
                ],
            )
        ],
    )


def main() -> dict[str, zos.SystemResult]:
    """The answers by machine and rate."""
    z14 = zos.move(z13(), "LPAR1", itr_ratio=CAPACITY)
    same = z14.solve()
    grown = zos.scale(z14, 80.03 / same["LPAR1"].cpu_percent)
    return {"z13": z13().solve(), "z14, same rate": same, "z14, 80 % busy": grown.solve()}


if __name__ == "__main__":
    answers = main()
    print("                     ETR      ITR   CPU  response  CPU/tran")
    print("                     1/s      1/s     %        ms        µs")
    for name, found in answers.items():
        lpar, work = found["LPAR1"], found["order entry"]
        figures = (
            f"{work.etr:8.0f} {lpar.itr:8.0f} {lpar.cpu_percent:5.1f} {1000 * work.response_time:9.2f} {1e6 * work.cpu:9.1f}"
        )
        print(f"{name:<16s}{figures}")
    print()
    print(zos.compare(answers["z13"], answers["z14, same rate"]))
