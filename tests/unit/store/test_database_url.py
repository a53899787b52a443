"""Promises about the database's URL: whatever a password holds, no part of it is in a message."""

import pytest

from bot.errors import UserError
from bot.store.database import connect


@pytest.mark.parametrize("password", ["planted@secret", "planted@secret@", "@secret"])
def test_an_at_in_a_password_is_told_with_its_remedy_and_not_shown(password: str) -> None:
    with pytest.raises(UserError, match="write %40 for it") as told:
        connect(f"postgresql://app:{password}@127.0.0.1/recalibrate")
    assert "planted" not in str(told.value)
    assert "secret" not in str(told.value)


def test_a_password_with_an_escaped_at_is_taken() -> None:
    database = connect("postgresql://app:planted%40secret@127.0.0.1/recalibrate")
    assert (database.engine.url.password, database.engine.url.host) == ("planted@secret", "127.0.0.1")
    database.close()
