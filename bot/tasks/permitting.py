"""Whether a person may ask for something: their role, looked up at the moment it matters.

A lookup that fails is a no, and says that it could not be verified. What is asked for is not this
module's part.
"""

from __future__ import annotations

from collections.abc import Collection

from bot.errors import RetryableError, UserError
from bot.tasks.outcomes import Ending, OutcomeName
from bot.tasks.ports import Forge


async def refusal(forge: Forge, login: str, roles: Collection[str]) -> Ending | None:
    """Why this account may not; None where it has one of the roles."""
    try:
        role = await forge.role(login)
    except (UserError, RetryableError) as error:
        return Ending(OutcomeName.UNVERIFIED, str(error))
    if role in roles:
        return None
    return Ending(OutcomeName.DENIED, role)
