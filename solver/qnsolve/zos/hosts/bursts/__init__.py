"""Work that comes in bursts on the processors of a host: what its tasks wait for each other, and what others wait."""
