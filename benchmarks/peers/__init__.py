"""The same models solved by qnsolve, by plain loops and by other solvers."""
