"""Commands on systems alone."""
