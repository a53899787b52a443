"""A local GitHub over a real bare git repository, for the demo and the tests."""
