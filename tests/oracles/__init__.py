"""Reference solvers in plain formulas, exact chains or rational numbers, and the tests that compare the product with them."""
