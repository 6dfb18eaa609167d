"""What a system consists of: LPARs, regions, work, coupling facilities, loggers, devices."""
