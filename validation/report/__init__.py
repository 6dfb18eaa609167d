"""The report: HTML, Markdown, workbook, plots."""
