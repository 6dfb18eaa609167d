"""Work that comes in bursts, or at the ticks of a clock."""
