"""What a repository looks like after some nights, in words that two worlds can be compared by.

Names, addresses and SHAs differ between worlds and are written as what they are; trees, texts and
numbers must be the same. Nothing is judged here but what may never be: something twice, or half.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable

from bot.sandbox.state.issues import Issue, Pull
from bot.sandbox.state.repo import Repo
from tests.sandbox.service import EVIDENCE, ROLLING

_SHA = re.compile(r"\b[0-9a-f]{40}\b")
_SHORT = re.compile(r"`[0-9a-f]{7}`")
_PLACE = re.compile(r"http://127\.0\.0\.1:\d+")
_DIGEST = re.compile(r"\b[0-9a-f]{16}\b")
_IDS = re.compile(r"\b1\d{6}\b")  # the local GitHub's own ids; the generated runs' are longer
_NOT_OURS = "refs/heads/main"

Seen = dict[str, object]


def seen(repo: Repo) -> Seen:
    """Everything a person can see there."""
    return {
        "branch": _branch(repo),
        "evidence": _evidence(repo),
        "branches": sorted(dict(repo.git.refs("refs/heads/"))),
        "pulls": [_pull(repo, it, it.pull) for it in repo.issues.values() if it.pull is not None],
        "issues": [(it.state, it.title) for it in repo.issues.values() if it.pull is None],
        "checks": sorted(_check(repo, number) for number in repo.checks),
        "comments": sorted(plain(repo, it.body) for it in repo.comments.values() if it.app is not None),
    }


def plain(repo: Repo, text: str | None) -> str:
    """A text without what is particular to its world."""
    named = (text or "").replace(repo.owner.login, "OWNER")
    for pattern, word in ((_PLACE, "PLACE"), (_SHA, "SHA"), (_SHORT, "SHORT"), (_DIGEST, "DIGEST"), (_IDS, "ID")):
        named = pattern.sub(word, named)
    return named


def repeated(repo: Repo) -> list[str]:
    """What stands there twice and should stand once, or is half of a whole."""
    found = []
    ours = [it for it in repo.issues.values() if it.app is not None]
    pulls = [it for it in ours if it.pull is not None and it.state == "open"]
    if len(pulls) > 1:
        found.append(f"{len(pulls)} open pull requests")
    found += [f"issue {it!r}" for it in _twice(it.title for it in ours if it.pull is None)]
    found += [f"check run {it}" for it in _twice((it.head_sha, it.external_id) for it in repo.checks.values())]
    found += [f"answer {it}" for it in _twice(_marker(it.body) for it in repo.comments.values() if it.app is not None)]
    if len(_commits(repo)) != len(_entries(repo)):
        found.append(f"{len(_commits(repo))} commits for {len(_entries(repo))} entries of evidence")
    digests = [entry.rsplit("/", 1)[-1] for entry in _entries(repo)]
    found += [f"evidence entry {digest}" for digest in _twice(digests)]
    found += [f"evidence commit {sha} that is no one entry's" for sha in _commits(repo) if not _one_entry(repo, sha)]
    for (_, number), given in repo.reactions.items():
        found += [f"reaction {it} to {number}" for it in _twice((one.author.login, one.content) for one in given)]
    tip = repo.git.ref(ROLLING)
    if tip is not None and len(_git(repo, "rev-list", "--max-count=9", tip, "--not", _NOT_OURS).split()) > 1:
        found.append("more than one commit on the branch")
    if any(it.status != "completed" for it in repo.checks.values()):
        found.append("a check run without an end")
    return found


def difference(name: str, wanted: object, now: object) -> str:
    """Where one part of two worlds begins to differ."""
    texts = repr(wanted), repr(now)
    at = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(*texts, strict=False)))
    before, after = (text[max(at - 60, 0) : at + 60] for text in texts)
    return f"{name}: {before!r} is {after!r}"


def _twice(values: Iterable[object]) -> list[object]:
    return [value for value, times in Counter(values).items() if times > 1]


def _marker(body: str) -> str:
    return body.split("\n", 1)[0]


def _branch(repo: Repo) -> tuple[str, str] | None:
    """The tree and the diffstat of the rolling branch."""
    tip = repo.git.ref(ROLLING)
    if tip is None:
        return None
    parents = _git(repo, "rev-list", "--parents", "-1", tip).split()[1:]
    on_base = "on the base" if parents == [repo.git.ref(_NOT_OURS)] else "elsewhere"
    return repo.git.commit(tip).tree, on_base


def _evidence(repo: Repo) -> list[tuple[str, str]] | None:
    tip = repo.git.ref(EVIDENCE)
    if tip is None:
        return None
    names = _git(repo, "ls-tree", "-r", "--name-only", tip).split("\n")
    return [(_folder(name), plain(repo, _git(repo, "show", f"{tip}:{name}"))) for name in names if name]


def _folder(name: str) -> str:
    """An entry's address without the digest that names its evaluation."""
    return re.sub(r"[0-9a-f]{12,}", "DIGEST", name)


def _commits(repo: Repo) -> list[str]:
    """The commits of the evidence branch."""
    tip = repo.git.ref(EVIDENCE)
    return [] if tip is None else _git(repo, "rev-list", tip).split()


def _entries(repo: Repo) -> set[str]:
    """The directories of the evidence branch: one a content."""
    names = _git(repo, "ls-tree", "-r", "--name-only", EVIDENCE).split() if _commits(repo) else []
    return {name.rsplit("/", 1)[0] for name in names}


def _one_entry(repo: Repo, sha: str) -> bool:
    """A commit of evidence adds the files of one entry and touches no other."""
    lines = _git(repo, "diff-tree", "--root", "--no-commit-id", "--name-status", "-r", sha).splitlines()
    names = [line.split("\t") for line in lines]
    return {status for status, _ in names} == {"A"} and len({name.rsplit("/", 1)[0] for _, name in names}) == 1


def _pull(repo: Repo, it: Issue, pull: Pull) -> tuple[object, ...]:
    at_tip = pull.head_sha == repo.git.ref(ROLLING)
    return it.number, it.state, it.title, pull.draft, at_tip, plain(repo, it.body)


def _check(repo: Repo, number: int) -> tuple[str, ...]:
    it = repo.checks[number]
    texts = (it.title, it.summary, it.text, *(str(note) for note in it.annotations))
    # what a person commits has another SHA in each world
    nights = _git(repo, "rev-list", _NOT_OURS).split()
    head = it.head_sha if it.head_sha in nights else _git(repo, "log", "-1", "--format=%s", it.head_sha)
    return head, it.name, it.status, str(it.conclusion), *(plain(repo, text) for text in texts)


def _git(repo: Repo, *arguments: str) -> str:
    return repo.git.run(*arguments).decode()
