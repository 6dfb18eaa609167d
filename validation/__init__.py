"""Published tables against predictions."""
