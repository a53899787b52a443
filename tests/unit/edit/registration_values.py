"""Registrations as values, for the tests of what is decided about them."""

from __future__ import annotations

from bot.domain import Backend, BlobSha, EditRefusal, Registration, RegistrationKey, Suite, TestPath


def registration(
    path: str,
    labels: tuple[str, ...] | None,
    *,
    backend: str = "cuda",
    disabled: str | None = None,
    refusal: EditRefusal | None = None,
) -> Registration:
    return Registration(
        key=RegistrationKey(TestPath(path), Backend(backend), Suite("s")),
        blob=BlobSha("b" * 40),
        index=0,
        line=1,
        end_line=1,
        est_line=1,
        est_time=600.0,
        est_text="600",
        labels=labels,
        disabled=disabled,
        label_refusal=refusal,
    )
