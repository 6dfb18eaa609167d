"""IMS and the MQ bridge to it."""
