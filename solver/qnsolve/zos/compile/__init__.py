"""From a system to its tasks and to the network that it becomes."""
