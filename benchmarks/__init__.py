"""Time and error of each kernel, as ratios in one run."""
