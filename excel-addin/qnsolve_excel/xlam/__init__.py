"""Excel on Windows: worksheet functions through xlwings, and the add-in `qnsolve.xlam` that calls them."""
