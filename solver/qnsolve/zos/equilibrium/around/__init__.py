"""What work finds around the CPs: coupling facilities, zIIPs."""
