"""Answer: three more CPs on the LPAR that is full, and three more: what they bring, and what is full then.

The MQ-IMS bridge on three LPARs of 3 CPs each and a coupling facility of 4 (document mq-otma): about 11,000 messages a
second with LPAR 1 full. With 6 CPs there, 19,000; with 9 CPs, 21,400, LPARs 2 and 3 the limit, coupling facility 75 % busy.

CPU times are from these rows: LPAR 1 from 3 and 6 CPs, which fixes what each engine costs the others; LPARs 2 and 3 and
the coupling facility from 9 CPs. So the rates are no prediction (the validation case is one): that LPAR 1 is not full with
9 CPs is.
"""

from qnsolve import zos

ENGINES = zos.LsprTable({3: 11_000, 6: 19_000})  # messages a second of a full LPAR 1
REQUESTS = 10  # of the coupling facility, one message; only their product with the service time matters


def bridge() -> zos.System:
    """3:3:3. Messages come as fast as they are taken: 600 are always under way."""
    return zos.System(
        name="MQ-IMS bridge",
        lpars=[zos.Lpar(f"LPAR{i}", processors=zos.Processors(3)) for i in (1, 2, 3)],
        coupling_facilities=[
            zos.CouplingFacility(
                "CF",
                processors=4,
                service_time=0.75 * 4 / 21_400 / REQUESTS,
                threshold=1e-6,  # asynchronous: what requests cost the LPARs is in their CPU times
            )
        ],
        regions=[
            zos.ImsRegions("IMS", lpar="LPAR1", regions=2000),
            zos.ImsRegions("QM2", lpar="LPAR2", regions=2000),
            zos.ImsRegions("QM3", lpar="LPAR3", regions=2000),
        ],
        work=[
            zos.Work(
                "messages",
                users=600,
                steps=[
                    zos.Step(["QM2", "QM3"], cpu=6 / 21_400, cf_requests={"CF": REQUESTS}),
                    zos.Step("IMS", cpu=3 / 11_000, called=False),
                ],
            )
        ],
    )


def main() -> dict[int, zos.SystemResult]:
    """The answers by CPs of LPAR 1."""
    return {cps: zos.move(bridge(), "LPAR1", engines=cps, lspr=ENGINES).solve() for cps in (3, 6, 9)}


if __name__ == "__main__":
    answers = main()
    print("LPAR 1    rate   response  LPAR 1  LPAR 2  LPAR 3      CF")
    print("   CPs     1/s         ms  % busy  % busy  % busy  % busy")
    for cps, found in answers.items():
        work = found["messages"]
        busy = [found[name].cpu_percent for name in ("LPAR1", "LPAR2", "LPAR3")] + [found["CF"].busy_percent]
        print(f"{cps:6d} {work.etr:7.0f} {1000 * work.response_time:10.2f}" + "".join(f"{x:8.1f}" for x in busy))
    print()
    print(zos.compare(answers[6], answers[9]))
