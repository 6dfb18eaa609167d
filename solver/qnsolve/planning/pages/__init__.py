"""The study as a page and as a workbook."""
