"""CPU and response that larger Db2 buffer pools save, as synchronous reads go away.

A bank workload on 12 CPs of a zEC12 (document zos-memory, figure 2-2). With 256 GB: 709 transactions a second, 54.2 reads
each, 0.695 s; with 512 GB 14.3 reads. A read avoided saves 37 µs of CPU and 6.7 ms by these rows. With 1 TB 0.9 reads
were left; measured were 976/s and 0.209 s, better than predicted here: other waits fell with the reads.
"""

from qnsolve import zos

CPU, CPU_OF_READ = 0.010162, 37.4e-6  # s a transaction without reads, s a read
READ, OTHER = 0.0066959, 0.31938  # s a read, s of other waits
READS = {"256 GB": 54.16, "512 GB": 14.29, "1 TB": 0.92}  # a transaction, by memory


def bank(reads: float) -> zos.System:
    """1409 users that think 1.29 s, as rows 1 and 2 have it."""
    return zos.System(
        lpars=[zos.Lpar("DB2A", processors=zos.Processors(12))],
        devices=[zos.Device("Db2 reads")],
        regions=[zos.CicsRegion("AOR", lpar="DB2A", mxt=2000)],
        work=[
            zos.Work(
                "posting",
                users=1409,
                think_time=1.293,
                regions="AOR",
                open_cpu=CPU + reads * CPU_OF_READ,
                devices={"Db2 reads": reads * READ},
                delay=OTHER,
            )
        ],
    )


def main() -> dict[str, zos.SystemResult]:
    """The answers by memory."""
    return {memory: bank(reads).solve() for memory, reads in READS.items()}


if __name__ == "__main__":
    print("memory     ETR   ITR  CPU  response  CPU/tran  Db2 reads")
    print("           1/s   1/s    %         s        ms          s")
    for memory, found in main().items():
        lpar, work = found["DB2A"], found["posting"]
        print(
            f"{memory:<8s}{work.etr:6.0f}{lpar.itr:6.0f}{lpar.cpu_percent:5.0f}"
            f"{work.response_time:10.3f}{1000 * work.cpu:10.2f}{work.split['Db2 reads']:11.3f}"
        )
