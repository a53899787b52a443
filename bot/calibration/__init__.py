"""Stage two: samples in, proposals and keeps with reasons out."""
