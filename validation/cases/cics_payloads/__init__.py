"""What large payloads cost in CICS: containers, EXCI, JSON, SOAP."""
