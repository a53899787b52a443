"""The world of the sandbox as plain mutable values; each module here holds those of one subject.

No protocol and no rendering: `rest_*.py` and `graphql.py` act on these values, `views_*.py` write
them as GitHub's JSON, `scenario.py` fills them.
"""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
