"""Promises of the limit on failed signatures: it holds by address, gives back with time, and its memory is bounded."""

from bot.webhook.failures import AT_ONCE, EVERY_S, MOST_REMOTES, Failures


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_the_first_failures_pass_and_the_next_wait() -> None:
    failures = Failures(Clock())
    assert [failures.wait_s("a") for _ in range(AT_ONCE)] == [0] * AT_ONCE
    assert [failures.wait_s("a") for _ in range(3)] == [3, 3, 3]  # a refused one does not lengthen the wait
    assert failures.wait_s("b") == 0


def test_time_gives_back_one_by_one() -> None:
    clock = Clock()
    failures = Failures(clock)
    for _ in range(AT_ONCE + 1):
        failures.wait_s("a")
    clock.now += EVERY_S
    assert [failures.wait_s("a"), failures.wait_s("a") > 0] == [0, True]
    clock.now += EVERY_S * AT_ONCE * 9
    assert [failures.wait_s("a") for _ in range(AT_ONCE + 1)] == [0] * AT_ONCE + [3]


def test_memory_is_bounded_and_the_oldest_address_goes_first() -> None:
    failures = Failures(Clock())
    for number in range(3 * MOST_REMOTES):
        failures.wait_s(str(number))
    assert len(failures._full_at) == MOST_REMOTES
    assert str(3 * MOST_REMOTES - 1) in failures._full_at
    assert "0" not in failures._full_at
