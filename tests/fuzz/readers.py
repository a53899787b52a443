"""What is fed to each reader of foreign text, and what must hold whatever it is fed."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from bot.commands.contract import Command, Mistake
from bot.commands.grammar import beginning, commands_not_read, parse
from bot.commands.texts import mistake_text
from bot.domain import BlobSha, LiteralChange, NightlyFilter, Status, TaskRequest, TestPath
from bot.edit.apply import apply
from bot.edit.edit_check import mask
from bot.edit.imports.references import read_references
from bot.edit.tree_reader import read_one
from bot.evidence.dialects import DIALECTS
from bot.webhook.routing import DropReason, repository_id, route
from bot.webhook.verify import Delivery, DeliveryRefusal, verify
from tests.unit.evidence.tiny_logs import NEWT, OTTER, judged, parsed, passing, plan, stamped, status, summary

Reader = tuple[st.SearchStrategy[Any], Callable[[Any], None]]

# ------------------------------------------------------------------- job logs

LINES = [
    *plan((OTTER, 400.0), (NEWT, 300.0)),
    *passing(0, 2, OTTER, 310),
    *passing(1, 2, NEWT, 200, 300.0),
    *summary([OTTER, NEWT]),
    *summary([], {OTTER: "exit code 1"}),
    status("1/2", OTTER, "TIMEOUT", 1800, " timeout_after=1800s"),
    "RETRIED:",
    "##[group]Run actions/checkout@v4",
    "[command]/usr/bin/git fetch --depth=1 origin +" + "a" * 40 + ":refs/x",
    "TIMINGS BEGIN",
    '{"path": "tests/test_a.py", "elapsed_s": 1e400}',
    "TIMINGS END",
    "| CUDA | lane | True | 1/2 (0-based id=0) |",
]
EXAMPLES = [example for dialect in DIALECTS.values() for example in dialect.EXAMPLES]
PIECES = st.one_of(
    st.sampled_from(LINES).map(lambda line: stamped([line])),
    st.sampled_from(LINES).map(lambda line: f"{line}\n".encode()),
    st.tuples(st.sampled_from(LINES), st.integers(0, 80)).map(lambda pair: pair[0][: pair[1]].encode()),
    st.binary(max_size=60),
    st.sampled_from(
        [b"\r", b"\n", b"\x1b[31m", b"\xef\xbb\xbf", b"\0", b"\xff", b"x" * 70_000, "\u2028\u202e".encode()]
    ),
)
LOGS = st.tuples(st.lists(PIECES, max_size=60).map(b"".join), st.integers(1, 5000))


def read_logs(given: tuple[bytes, int]) -> None:
    """Every dialect reads it, in any pieces alike, and only a file that was planned and measured passes."""
    log, chunk = given
    for dialect in DIALECTS.values():
        found = parsed(log, dialect=dialect)
        assert parsed(log, chunk, dialect) == found
        for row in judged(log, dialect=dialect).rows:
            assert row.status is not Status.PASSED or (row.elapsed_s is not None and row.elapsed_s >= 0)
            assert found.plan is not None


# ------------------------------------------------------------------- comments

WORDS = (
    "/recalibrate",
    "run",
    "evaluate",
    "explain",
    "rebuild",
    "pause",
    "help",
    "--dry-run",
    "--policy",
    "strict",
    "--",
    "4711",
)
PUNCTUATION = (
    " ",
    "\n",
    "\t",
    "=",
    '"',
    "'",
    "`",
    ">",
    "\u2014",
    "\r\n",
    "\0",
    "@",
    "[x](y)",
    "https://h/a/b/actions/runs/1",
)
COMMENTS = st.lists(st.one_of(st.sampled_from(WORDS + PUNCTUATION), st.text(max_size=12)), max_size=40).map("".join)


def read_comments(body: str) -> None:
    """A command, a mistake that can be told, or nothing; what a task keeps of it means the same."""
    for text in (body, f"/recalibrate {body}"):
        found = parse(text)
        assert found is None or isinstance(found, Command | Mistake)
        assert isinstance(found, Mistake) or parse(beginning(text)) == found
        assert commands_not_read(text) >= 0
        if isinstance(found, Mistake):
            told = mistake_text(found)
            assert told
            assert parse(told) is None


# ------------------------------------------------------------------- registrations

TOKENS = (
    "register_cuda_ci",
    "register_cpu_ci",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    "=",
    ":",
    "est_time",
    "suite",
    "labels",
    "nightly",
    "stage",
    "60",
    "1e9",
    "0x1f",
    "-1",
    "True",
    "None",
    '"a"',
    "'s'",
    "f'{a}'",
    '"""',
    "\\\n",
    "\n",
    "\n    ",
    "\t",
    "\r",
    "\x0c",
    "# c\n",
    "def f():",
    "type A = ",
    "*a",
    "**k",
    "import x as y",
    "from a import register_cuda_ci as b",
    "from ..a import b",
    "'../../x.sh'",
    "'a/./../b.py c'",
    "\xe9",
    "\u2028",
    ";",
    "x",
    "# -*- coding: latin-1 -*-\n",
    "# coding: utf-7\n",
    "\ufeff",
    "lambda: ",
    "if x:\n ",
    "match x:\n case ",
    "\0",
    'register_cuda_ci(est_time=60, suite="s", labels=["a"])\n',
    "register_cuda_ci(300, 's')\n",
)
SOURCES = st.lists(
    st.one_of(
        st.sampled_from(TOKENS).map(str.encode),
        st.text(max_size=6).map(lambda x: x.encode("utf-8", "replace")),
        st.binary(max_size=6),
    ),
    max_size=40,
).map(b"".join)


def read_sources(raw: bytes) -> None:
    """It reads or is refused; an edit changes what was planned and nothing else; what it names is inside the tree."""
    path, blob = TestPath("tests/test_a.py"), BlobSha("b" * 40)
    found = read_one(path, blob, raw)
    wanted = [LiteralChange(path, blob, one.index, 777, (*(one.labels or ()), "zz")) for one in found.registrations]
    applied = apply(path, raw, wanted)
    mask(raw)
    for place in read_references(path, raw).places:
        assert not {"", ".", ".."} & set(place.split("/"))
    if applied.edit:
        again = read_one(path, blob, applied.edit.after)
        done = {change.index: change for change in applied.edit.changes}
        for one in again.registrations:
            if one.index in done and done[one.index].est_time is not None:
                assert one.est_time == 777


# ------------------------------------------------------------------- deliveries

SECRET = "a planted secret"
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=12),
    st.sampled_from(
        ["completed", "created", "schedule", "main", "a" * 40, "zoo/otter", "User", "/recalibrate", 5, 2**63, "opened"]
    ),
)
KEYS = st.sampled_from(
    [
        "action",
        "workflow_run",
        "repository",
        "installation",
        "comment",
        "issue",
        "pull_request",
        "check_run",
        "sender",
        "id",
        "run_attempt",
        "event",
        "head_branch",
        "head_sha",
        "path",
        "head_repository",
        "full_name",
        "default_branch",
        "archived",
        "body",
        "user",
        "login",
        "type",
        "number",
        "head",
        "base",
        "ref",
        "sha",
        "app",
        "external_id",
        "requested_action",
        "identifier",
        "changes",
    ]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.dictionaries(KEYS, inner, max_size=8), st.lists(inner, max_size=4)),
    max_leaves=40,
)
EVENTS = st.sampled_from(
    ["workflow_run", "installation", "installation_repositories", "issue_comment", "pull_request", "check_run", "ping"]
)
REPOSITORY = {"id": 5, "full_name": "zoo/otter", "default_branch": "main"}
RUN = {"id": 77, "run_attempt": 1, "event": "schedule", "head_branch": "main", "head_sha": "a" * 40, "path": "x"}
SIDE = {"ref": "main", "sha": "a" * 40}
PERSON = {"login": "mona", "type": "User"}
WHOLE: dict[str, Any] = {
    "action": "completed",
    "repository": REPOSITORY,
    "installation": {"id": 9},
    "workflow_run": {**RUN, "head_repository": {"id": 5}},
    "comment": {"id": 3, "body": "/recalibrate run 4711", "user": PERSON},
    "issue": {"number": 4},
    "pull_request": {"number": 4, "head": SIDE, "base": SIDE},
    "check_run": {"external_id": "nightly:77:1:x", "head_sha": "a" * 40, "app": {"id": 5}},
    "sender": PERSON,
}
ACTIONS = st.sampled_from(["completed", "created", "opened", "edited", "rerequested", "requested_action", "deleted"])


@st.composite
def damaged(draw: st.DrawFn) -> dict[str, Any]:
    """A payload that every event's model takes, with some of its values replaced at any depth."""
    payload: dict[str, Any] = json.loads(json.dumps({**WHOLE, "action": draw(ACTIONS)}))
    for _ in range(draw(st.integers(0, 3))):
        at = payload
        while True:
            key = draw(st.sampled_from(sorted(at)))
            if not isinstance(at[key], dict) or not at[key] or draw(st.booleans()):
                break
            at = at[key]
        at[key] = draw(VALUES)
    return payload


BODIES = st.one_of(damaged(), damaged(), st.dictionaries(KEYS, VALUES, max_size=8), VALUES, st.binary(max_size=200))
SENT = st.tuples(EVENTS, BODIES, st.booleans())


def receive(given: tuple[str, Any, bool]) -> None:
    """A refusal, a drop or a task request; without the right signature nothing but a refusal."""
    event, payload, signed = given
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    signature = hmac.new(SECRET.encode() if signed else b"other", body, hashlib.sha256).hexdigest()
    headers = {
        "X-Hub-Signature-256": f"sha256={signature}",
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": "g1",
        "Content-Type": "application/json",
    }
    delivery = verify(headers, body, SECRET)
    assert signed or delivery is DeliveryRefusal.BAD_SIGNATURE
    if isinstance(delivery, Delivery):
        number = repository_id(delivery)
        assert number is None or 0 < number < 2**63
        for stored in (None, NightlyFilter(("x",), ("schedule",), ("main",))):
            verdict = route(delivery, stored, 5)
            assert isinstance(verdict, TaskRequest | DropReason | DeliveryRefusal)
            if isinstance(verdict, TaskRequest):
                assert len(verdict.key.encode()) < 1000
                assert verdict.lane


READERS: dict[str, Reader] = {
    "log dialects": (LOGS, read_logs),
    "command grammar": (COMMENTS, read_comments),
    "registration reader": (SOURCES, read_sources),
    "receiver": (SENT, receive),
}
