"""Stage one: runs and logs in, classified rows and samples out."""
