"""Pages that show what is stored: repositories, one repository, one test. They change nothing.

Reads the store and the values; what GitHub has to say of a visitor comes through `ports.py`.
"""
