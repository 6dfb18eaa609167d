"""CICS regions: workloads at rising rates, routing, releases, machines."""
