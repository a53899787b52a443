"""Plots as SVG text, made by pygal: values in, markup out. No store, no clock, no script, no style of their own.

Colours and line styles are classes of `static/pages.css`, so that one drawing serves light, dark and paper.
What a plot shows always stands in a table beside it too.
"""
