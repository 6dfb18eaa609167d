"""Writes the planning workbooks beside this file: excel/ for Excel on Windows, calc/ for LibreOffice, native/ with no add-in.

python examples/workbooks/build.py [FOLDER]
"""

import sys
from pathlib import Path

from qnsolve_excel.workbooks import PLANS, write

folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
for flavour in ("excel", "calc", "native"):
    (folder / flavour).mkdir(parents=True, exist_ok=True)
    for name, plan in PLANS.items():
        write(plan, folder / flavour / f"{name}.xlsx", flavour)
print(f"written: {3 * len(PLANS)} workbooks in {folder}")
