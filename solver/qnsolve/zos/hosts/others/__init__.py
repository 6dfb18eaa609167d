"""All others than a group on the processors of a host: how many of them are at work, and how they come."""
