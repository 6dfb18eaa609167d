"""Systems that several cases share."""
