"""What a person is told about each refusal: what happened, and what to do."""

from __future__ import annotations

from bot.setup.dialogue import Refusal

AGAIN = "Run recalibrate setup again."
WORDS = {
    Refusal.WRONG_HOST: "This page answers to this machine's own name only. Open the address that the console shows.",
    Refusal.FOREIGN_ORIGIN: "Another site sent this form. Open the address that the console shows.",
    Refusal.WRONG_CODE: "That is not the code on the console. Go back and type it again.",
    Refusal.CODE_USED: f"The code was used already. Go on in the window where that was. If it was not you: {AGAIN}",
    Refusal.TOO_MANY_TRIES: f"Too many wrong codes. {AGAIN}",
    Refusal.NOT_BEGUN: "Nothing was begun here. Open the address that the console shows, and enter its code.",
    Refusal.WRONG_STATE: "This answer does not belong to what was begun here. Nothing was done with it.",
    Refusal.NO_ANSWER_CODE: "GitHub sent no code. Go back to its page and create the App there.",
    Refusal.REPLAYED: "This answer was taken already. The console says how it went.",
    Refusal.CONVERSION_REFUSED: f"GitHub did not give the App's secrets for this code. {AGAIN}",
    Refusal.GITHUB_AWAY: "GitHub did not answer. Load this page again.",
    Refusal.NOT_KEPT: "The App was made, and its secrets could not be kept. The console says why.",
    Refusal.NOT_HERE: "There is no such page.",
}
STATUS = {
    Refusal.WRONG_HOST: 421,
    Refusal.NO_ANSWER_CODE: 400,
    Refusal.REPLAYED: 409,
    Refusal.CODE_USED: 409,
    Refusal.TOO_MANY_TRIES: 429,
    Refusal.CONVERSION_REFUSED: 502,
    Refusal.GITHUB_AWAY: 503,
    Refusal.NOT_KEPT: 500,
    Refusal.NOT_HERE: 404,
}  # any other is 403


def status(refusal: Refusal) -> int:
    """HTTP's status of a refusal."""
    return STATUS.get(refusal, 403)
