"""What users do to the waits for limits: the longer they wait for one, the less often they come to the others."""
