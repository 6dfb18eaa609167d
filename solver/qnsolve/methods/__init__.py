"""Solution methods: the registry, what all share, and a folder a family with its kernels."""
