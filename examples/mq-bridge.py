"""Three more CPs on the full LPAR, and another three: the rate that they allow, and the station that is full then.

The MQ-IMS bridge on three LPARs of 3 CPs each and a coupling facility of 4 (document mq-otma): about 11,000 messages a
second with LPAR 1 full. With 6 CPs there, 19,000; with 9 CPs, 21,400, LPARs 2 and 3 the limit, coupling facility 75 % busy.

CPU times are from these rows: LPAR 1 from 3 and 6 CPs, which fixes what each engine costs the others; LPARs 2 and 3 and
the coupling facility from 9 CPs. So the rates are no prediction (those of the validation case are): the
prediction is that LPAR 1 is not full with 9 CPs.
"""

from qnsolve import zos

ENGINES = zos.LsprTable({3: 11_000, 6: 19_000})  # messages a second of a full LPAR 1
RATE = 10_000


def bridge() -> zos.System:
    """3:3:3, with 10,000 messages a second."""
    return zos.System(
        name="MQ-IMS bridge",
        lpars=[zos.Lpar(f"LPAR{i}", processors=zos.Processors(3)) for i in (1, 2, 3)],
        devices=[zos.Device("CF", servers=4)],  # what its requests cost the LPARs is in their CPU times
        regions=[
            zos.ImsRegions("IMS", lpar="LPAR1", regions=2000),
            zos.ImsRegions("QM2", lpar="LPAR2", regions=2000),
            zos.ImsRegions("QM3", lpar="LPAR3", regions=2000),
        ],
        work=[
            zos.Work(
                "messages",
                rate=RATE,
                steps=[
                    zos.Step(["QM2", "QM3"], cpu=6 / 21_400, devices={"CF": 0.75 * 4 / 21_400}),
                    zos.Step("IMS", cpu=3 / 11_000, called=False),
                ],
            )
        ],
    )


def main() -> dict[int, tuple[float, zos.SystemResult]]:
    """By CPs of LPAR 1: the rate at which a station is full, and the answer at 95 % of it."""
    answers = {}
    for cps in (3, 6, 9):
        system = zos.move(bridge(), "LPAR1", engines=cps, lspr=ENGINES)
        most = zos.headroom(system).factor
        answers[cps] = (RATE * most, zos.scale(system, 0.95 * most).solve())
    return answers


if __name__ == "__main__":
    answers = main()
    print("LPAR 1  at most  at 95 % of it:          CPU           CF")
    print("   CPs      1/s   LPAR 1 %   LPAR 2 %   LPAR 3 %        %")
    for cps, (most, found) in answers.items():
        busy = [found[name].cpu_percent for name in ("LPAR1", "LPAR2", "LPAR3")]
        print(f"{cps:6d}{most:9.0f}" + "".join(f"{x:11.1f}" for x in busy) + f"{found['CF'].busy_percent:9.1f}")
    print()
    print(zos.compare(answers[6][1], answers[9][1]))
