"""Work of lower importance on the CPs of a host: the chain of its tasks and those of higher importance."""
