"""The one catalogue that all tables stand in, and the three kinds of columns they are made of. No table is here."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, MetaData
from sqlalchemy.types import TypeEngine

Kind = TypeEngine[Any] | type[TypeEngine[Any]]

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)


def key(name: str, kind: Kind) -> Column[Any]:
    """A column of the primary key; its value comes from GitHub or from us, never from the database."""
    return Column(name, kind, primary_key=True, autoincrement=False)


def have(name: str, kind: Kind) -> Column[Any]:
    """A column that every row fills."""
    return Column(name, kind, nullable=False)


def may(name: str, kind: Kind) -> Column[Any]:
    """A column that a row may leave null."""
    return Column(name, kind, nullable=True)
