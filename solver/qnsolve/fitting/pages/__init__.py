"""Measured beside modelled: columns, errors, whether the model may be used, as page and workbook."""
