"""What the way from bytes to calls costs, as ratios against a floor and against other clients. Run: `make bench`."""
