"""What is inside limits: stations, TCBs and CPs as the tasks there find them."""
