"""Draws the pictures of the README anew: planning workbooks calculated and printed by LibreOffice, the page by Chromium.

python excel-addin/pictures/draw.py [workbooks] [page] [study] [planner]      needs what .ci/system-packages installs
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image, ImageChops

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT))

from qnsolve_excel.calc import write  # noqa: E402
from qnsolve_excel.officejs.server import application  # noqa: E402
from qnsolve_excel.officejs.thread import served  # noqa: E402

from tests.support.spreadsheet import Spreadsheet  # noqa: E402

TOKEN = "0" * 48


def cropped(file: Path, out: Path, height: float = 1.0, top: float = 0.0) -> None:
    """The picture without its margins, of the page from one share of its height to another."""
    page = Image.open(file).convert("RGB")
    page = page.crop((0, int(page.height * top), page.width, int(page.height * height)))
    edge = ImageChops.difference(page, Image.new("RGB", page.size, "white")).getbbox()
    left, above, right, bottom = edge
    found = page.crop((max(left - 15, 0), max(above - 15, 0), min(right + 15, page.width), min(bottom + 15, page.height)))
    found.quantize(128).save(out, optimize=True)
    print(out.relative_to(ROOT), found.size)


def workbooks(folder: Path) -> None:
    """The first page of each plan, calculated anew."""
    with Spreadsheet(folder, [write(folder / "qnsolve.oxt")]) as calc:
        for name in ("mmc-sizing", "cics-region", "closed-network", "smt", "logger"):
            with calc.book(ROOT / "examples" / "workbooks" / "calc" / f"{name}.xlsx") as book:
                book.recalculate()
                book.save(folder / f"{name}.pdf")
            subprocess.run(
                ["pdftoppm", "-r", "110", "-png", "-singlefile", "-l", "1", folder / f"{name}.pdf", folder / name], check=True
            )
            cropped(folder / f"{name}.png", HERE / f"{name}.png", 0.93)


def page(folder: Path) -> None:
    """The page to try the functions."""
    with served(lambda port: application(TOKEN, port, "http")) as port:
        shot(folder, f"http://localhost:{port}/{TOKEN}/#SOLVE", "1180,900")
    cropped(folder / "shot.png", HERE / "page.png")


def study(folder: Path) -> None:
    """The page of the example's study, and the first sheet of its workbook."""
    qnsolve = Path(sys.executable).with_name("qnsolve")
    subprocess.run([qnsolve, "study", ROOT / "examples" / "site-study.toml", "-o", folder], check=True, capture_output=True)
    pictures = ROOT / "docs" / "pictures"
    shot(folder, (folder / "study.html").as_uri(), "1100,3300")
    cropped(folder / "shot.png", pictures / "study-page.png", 0.414)
    cropped(folder / "shot.png", pictures / "study-page-below.png", 0.99, 0.415)
    with Spreadsheet(folder) as calc, calc.book(folder / "study.xlsx") as book:
        book.save(folder / "study.pdf")
    first = ["-r", "100", "-png", "-singlefile", "-l", "1"]
    subprocess.run(["pdftoppm", *first, folder / "study.pdf", folder / "study"], check=True)
    cropped(folder / "study.png", pictures / "study-workbook.png", 0.95)


def planner(folder: Path) -> None:
    """The planner's page with the example's site."""
    command = [Path(sys.executable).with_name("qnsolve"), "serve", ROOT / "examples" / "site-study.toml", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None, "its first line has the address"
        shot(folder, server.stdout.readline().split()[-1], "1400,1250")
        server.terminate()
    cropped(folder / "shot.png", ROOT / "docs" / "pictures" / "planner.png")


def shot(folder: Path, address: str, size: str) -> None:
    """What Chromium shows of a page."""
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}", "--hide-scrollbars"]
    options += [f"--window-size={size}", "--virtual-time-budget=20000", f"--screenshot={folder / 'shot.png'}", address]
    subprocess.run(["chromium", *options], check=True, capture_output=True, timeout=120)


for draw in (workbooks, page, study, planner):
    if sys.argv[1:] and draw.__name__ not in sys.argv[1:]:
        continue
    with tempfile.TemporaryDirectory() as name:
        draw(Path(name))
