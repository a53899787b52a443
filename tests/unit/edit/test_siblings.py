"""A test is named where all its siblings carry what it lacks, and not otherwise."""

from __future__ import annotations

from bot.edit.siblings import suggest_from_siblings
from tests.unit.edit.registration_values import registration

FAMILY = [registration(f"tests/zoo/test_{name}_lora_ci.py", ("mega", "lora")) for name in ("otter", "newt", "emu")]
LONE = "tests/zoo/test_fox_lora_ci.py"


def named(*found: object) -> list[tuple[str, tuple[str, ...], int]]:
    return [
        (x.registration.key.path, x.missing, len(x.siblings))
        for x in suggest_from_siblings(found)  # type: ignore[arg-type]  # registrations, given one by one
    ]


def test_a_test_that_lacks_what_three_siblings_carry_is_named() -> None:
    assert named(*FAMILY, registration(LONE, ("mega",))) == [(LONE, ("lora",), 3)]


def test_two_siblings_are_no_pattern() -> None:
    assert named(*FAMILY[:2], registration(LONE, ("mega",))) == []


def test_a_label_that_one_sibling_lacks_is_not_suggested() -> None:
    odd = registration("tests/zoo/test_gnu_lora_ci.py", ("lora",))
    assert named(*FAMILY, odd, registration(LONE, ("lora",))) == []


def test_siblings_are_of_one_directory_backend_and_ending() -> None:
    for other in (
        registration("tests/zoo/sub/test_fox_lora_ci.py", ()),
        registration(LONE, (), backend="rocm"),
        registration("tests/zoo/test_fox_lora.py", ()),
        registration("tests/zoo/test_fox_lora_ci.py", (), disabled="flaky"),
    ):
        assert named(*FAMILY, other) == []


def test_the_longest_shared_ending_decides_alone() -> None:
    others = [registration(f"tests/zoo/test_{name}_ci.py", ("mega", "wide")) for name in ("a", "b", "c", "d")]
    assert named(*FAMILY, *others, registration(LONE, ("mega", "lora"))) == []
    assert named(*others, registration(LONE, ("mega",))) == [(LONE, ("wide",), 4)]


def test_a_file_s_other_calls_are_not_its_siblings() -> None:
    twins = [registration(LONE, ("mega",)) for _ in range(4)]
    assert named(*twins) == []
