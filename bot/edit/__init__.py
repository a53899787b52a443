"""Stage three: rewrite only the literals, and prove it."""
