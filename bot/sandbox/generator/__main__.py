"""`python -m bot.sandbox.generator DEST`: the generator by hand. All of it is in `generate`."""

from __future__ import annotations

import sys

from bot.sandbox.generator.generate import main

sys.exit(main(sys.argv[1:]))
