"""`recalibrate setup`: GitHub's App-manifest flow, led from a page on this machine's loopback."""
