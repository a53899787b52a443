"""The commands a person types, one module each. Parsing arguments is `bot.__main__`'s part."""
