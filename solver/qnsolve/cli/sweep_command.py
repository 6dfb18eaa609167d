"""qnsolve sweep: a network or a system at many values of its figures."""

from __future__ import annotations

import argparse
import json

from qnsolve.analysis.sweep import sweep
from qnsolve.analysis.varied_inputs import written
from qnsolve.errors import ModelError
from qnsolve.model.network import Network
from qnsolve.results.answer import Answer
from qnsolve.results.rendering import defined
from qnsolve.zos.whatif import system_inputs, system_sweep

from .measured.ranges import add_draws, fitted, sweep_with_range
from .output import FILE, add_forms, add_method, model, only_auto
from .plots.plot_option import add_plot, check_plot, write_plot
from .plots.sweep_plot import sweep_figure
from .running import add_running, running
from .terminal import look


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `qnsolve sweep`."""
    parser.add_argument("file", help=FILE)
    text = 'what to vary, as in "query.population=10:100:10", "query.demands.cpu=0.1,0.2", "AOR1.mxt=50:200:25"'
    parser.add_argument("vary", nargs="+", metavar="NAME.PARAMETER=VALUES", help=text)
    parser.add_argument("--together", action="store_true", help="vary all inputs in step, not in every combination")
    text = "of a system: what each row shows besides the figures of its work, as in AOR1.tasks; may be given again"
    parser.add_argument("--figure", action="append", default=[], metavar="NAME.FIGURE", help=text)
    add_method(parser)
    add_draws(parser)
    add_running(parser)
    add_plot(parser, "response times and the use of the fullest center over the values")
    add_forms(parser, "a point and class or work")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> str:
    check_plot(options)
    given, known = model(options.file), fitted(options)
    vary = system_inputs.written(options.vary)
    with running(options) as how:
        if isinstance(given, Network):
            if options.figure:
                raise ModelError(
                    "--figure", "goes with systems only", "leave it out: every figure of a network is in --json", ""
                )
            inputs = written(given, options.vary)
            found: Answer = sweep(given, inputs, method=options.method, together=options.together, **how)
        else:
            only_auto(options.method)
            found = system_sweep.sweep(given, vary, together=options.together, figures=options.figure, **how)
        if known is not None:
            found = sweep_with_range(found, given, known, vary, options, how)
    write_plot(options, lambda: sweep_figure(found))
    if options.json:
        return json.dumps([defined(row) for row in found.rows()], allow_nan=False, ensure_ascii=False)
    return found.to_csv() if options.csv else found.text(look(options))
