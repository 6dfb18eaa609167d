"""General service times and arrivals, by two moments."""
