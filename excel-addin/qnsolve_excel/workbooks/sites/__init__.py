"""The workbook of a system: the verdict of its study first, the model as tables, the results that recalculate with it."""
