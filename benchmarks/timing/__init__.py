"""Times and memory, as ratios or within the limits that are set for them."""
