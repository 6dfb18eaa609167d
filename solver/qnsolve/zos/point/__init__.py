"""The operating point of a system: solved, exactly where it is small, and how much work it holds."""
