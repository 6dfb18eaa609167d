"""Changes of a system: as they are written, found, and what each gives."""
