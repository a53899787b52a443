"""What is kept in memory of what was made last."""

from __future__ import annotations

from bot.tasks.recent import Recent


def kept(of: Recent[int], names: str) -> str:
    return "".join(name for name in names if of.find(name) is not None)


def test_the_oldest_is_forgotten_beyond_the_count() -> None:
    recent = Recent[int](2, 100)
    for number, name in enumerate("abc"):
        recent.keep(name, number, 1)
    assert (kept(recent, "abc"), recent.find("c")) == ("bc", 2)


def test_the_oldest_are_forgotten_beyond_the_size_and_the_newest_stays_however_large() -> None:
    recent = Recent[int](9, 10)
    for name, size in (("a", 4), ("b", 4), ("c", 5)):
        recent.keep(name, 1, size)
    assert kept(recent, "abc") == "bc"
    recent.keep("d", 1, 1000)
    assert kept(recent, "abcd") == "d"
    recent.keep("e", 1, 1)
    assert kept(recent, "de") == "e"


def test_what_is_made_again_counts_once_and_as_the_newest() -> None:
    recent = Recent[int](2, 10)
    for name, size in (("a", 6), ("b", 1), ("a", 7), ("c", 1)):
        recent.keep(name, 1, size)
    assert kept(recent, "abc") == "ac"
