"""Work that comes to the CPs of a host through limits."""
