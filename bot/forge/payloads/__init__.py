"""The fields we read of GitHub's answers, checked at the edge. Other keys are ignored.

Models only; what the values mean is decided where they are used.
"""
