"""Errors of the solver as error values of a cell, their repairs in the words of a sheet."""

from __future__ import annotations

from qnsolve.errors import ModelError, QnsolveError, Repair

from .cells import CellError

IN_SHEET = {  # what to do about a fault of a model, in the words of a sheet
    Repair.TEXT: "type a text",
    Repair.NUMBER: "type a number in its cell",
    Repair.FLAG: "type TRUE or FALSE",
    Repair.LIST: "type the values with ; between",
    Repair.SPEEDS: "type 1; 1.8; ...",
    Repair.SERVER_SPEEDS: "type 1; 0.6; ...",
    Repair.BY_STATION: "head a column for each station",
    Repair.DEMANDS: "head a column with a station's name, and type the demand into it",
    Repair.POPULATION_OR_RATE: "fill in a column population or arrival_rate",
    Repair.CAPACITY: "fill in the column capacity",
    Repair.ITEM: "give the table a row below its headings",
    Repair.LENGTHS: "give ranges with one cell each for an interval",
}


def in_cell(error: QnsolveError) -> CellError:
    """The error of a call: a repair with a code is one of kind or shape, all else is outside the domain."""
    shape = isinstance(error, ModelError) and error.code is not None
    return CellError("#VALUE!" if shape else "#NUM!", reason(error))


def in_table(error: ModelError) -> CellError:
    """The error of a table: a number is outside the domain, anything else is of the wrong kind."""
    outside = isinstance(error.value, (int, float)) and not isinstance(error.value, bool)
    return CellError("#NUM!" if outside else "#VALUE!", reason(error))


def reason(error: QnsolveError) -> str:
    """The error in one line."""
    if isinstance(error, ModelError) and error.code is not None:
        error.repair = IN_SHEET[error.code]
    return str(error)
