"""CPU and response that a threadsafe program saves in one region.

A COBOL program makes 60 Db2 calls and 3 CICS commands that are not threadsafe. As QUASIRENT it runs on the QR TCB and changes
its TCB twice a call. The same program is described once; THREADSAFE and REQUIRED follow from the rules of CICS.
"""

import qnsolve as qn
from qnsolve import zos

PROGRAM = zos.Program(
    task_cpu=0.00015,
    application_cpu=0.0009,
    db2_calls=60,
    db2_cpu=0.0011,
    non_threadsafe_commands=3,
    non_threadsafe_cpu=0.00006,
)


def region(users: int) -> zos.System:
    """One AOR on an LPAR of four CPs, its program QUASIRENT; its users think for two seconds."""
    return zos.System(
        lpars=[zos.Lpar("PROD", processors=zos.Processors(4), change_mode_cpu=3000 / 1270e6)],
        regions=[zos.CicsRegion("AOR1", lpar="PROD", mxt=250)],
        devices=[zos.Device("Db2")],
        work=[
            zos.Work(
                "orders",
                users=users,
                think_time=2.0,
                regions="AOR1",
                devices={"Db2": 0.012},
                **PROGRAM.step("QUASIRENT"),
            )
        ],
    )


def main() -> dict[str, qn.Comparison]:
    """The comparisons by question."""
    today, next_year = region(1200), region(1800)
    return {
        "next year": qn.compare(today, next_year),
        "next year, THREADSAFE": qn.compare(
            next_year, zos.make_threadsafe(next_year, "orders", program=PROGRAM, concurrency="THREADSAFE")
        ),
        "next year, REQUIRED": qn.compare(next_year, zos.make_threadsafe(next_year, "orders", program=PROGRAM)),
    }


if __name__ == "__main__":
    for question, answer in main().items():
        print(question)
        region_before, region_after = answer.before["AOR1"], answer.after["AOR1"]
        print(f"  QR TCB {region_before.qr_percent:.1f} % to {region_after.qr_percent:.1f} %")
        print("  " + "\n  ".join(answer.sentences()))
