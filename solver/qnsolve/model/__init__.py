"""What a user declares: stations, classes, limits, routing, and the network with all its checks."""
