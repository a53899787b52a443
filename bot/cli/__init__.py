"""The commands a person types, one module each. Their options are `bot.cli.arguments`' part."""
