"""Reference solvers that share no code with the product, and the tests that compare the product with them."""
