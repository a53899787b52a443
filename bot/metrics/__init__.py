"""What an operator's Prometheus reads: counts of what was done, and how things stand. No repository has a name here."""
