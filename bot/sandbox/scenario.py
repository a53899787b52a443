"""Fills a world from data: git repositories, run directories as `ci-fetch-log` lays them out, JSON scenarios.

A run directory holds `api/run.json` (and `api/run-attempt-N.json` for earlier attempts),
`api/attempt-N-jobs.json` and `attempt-N/jobs/<id>/job-<id>.log`. A scenario is a JSON file:

    {"app": {"slug": "recalibrate", "webhook_url": "http://127.0.0.1:8080/webhook", "secret": "…"},
     "repositories": [{"name": "octo/tests", "source": "repo", "runs": ["runs/N1"], "private": false,
                       "default_branch": "main", "roles": {"mona": "write"}, "protected": ["refs/heads/main"],
                       "logs": {"4711": "gone"}}],
     "announce": true, "deliver": [{"run": 1, "attempt": 1}],
     "faults": [{"kind": "broken_after", "method": "POST", "route": "/repos/{owner}/{repo}/pulls", "skip": 0}]}

`announce` lets the App hear of what it does itself, as on github.com; the kinds of faults are
`faults.FaultKind`. Paths are relative to the file. Nothing is delivered from here.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.errors import UserError
from bot.sandbox.auth import generate_key, install, register_app
from bot.sandbox.faults import FaultKind, planned
from bot.sandbox.git_reader import GitError
from bot.sandbox.git_store import GitStore
from bot.sandbox.state.access import Installation
from bot.sandbox.state.accounts import AccountKind, App
from bot.sandbox.state.actions import JobLogFile, LogFate, RunAttempt, Workflow
from bot.sandbox.state.repo import Repo
from bot.sandbox.state.world import Clock, World, wall_clock
from bot.sandbox.traffic import Fault


@dataclass(frozen=True, slots=True)
class AppAccess:
    """A registered and installed App with the key that only its owner has."""

    app: App
    installation: Installation
    private_pem: bytes


@dataclass(frozen=True, slots=True)
class Planned:
    """One run to deliver as completed."""

    run_id: int
    attempt: int


@dataclass(frozen=True, slots=True)
class Scenario:
    """A world that a file described, and what to deliver in it."""

    world: World
    access: AppAccess
    deliver: tuple[Planned, ...]


def new_world(directory: Path, clock: Clock = wall_clock) -> World:
    """An empty world whose repositories lie below `directory`."""
    directory.mkdir(parents=True, exist_ok=True)
    return World(directory.resolve(), clock)


def add_repository(world: World, source: Path, full_name: str, default_branch: str = "") -> Repo:
    """A bare copy of the branches and tags of `source`, under owner/name; the owner is an organization.

    Raises:
        UserError: `source` is not a git repository, or has no default branch.
    """
    owner, _, name = full_name.partition("/")
    account = world.account(owner, AccountKind.ORGANIZATION)
    number = world.next_id()
    try:
        git = GitStore.mirror(source, world.directory / f"{number}.git")
        head = git.run("symbolic-ref", "--short", "HEAD").decode().strip()
    except GitError as error:
        raise UserError(f"{source}: not a git repository that can be copied: {error}") from error
    repo = Repo(number, account, name, git, world.clock(), default_branch or head)
    if git.commit_of(f"refs/heads/{repo.default_branch}") is None:
        raise UserError(f"{source}: has no branch {repo.default_branch!r}")
    git.run("symbolic-ref", "HEAD", f"refs/heads/{repo.default_branch}")
    world.repos[full_name.lower()] = repo
    return repo


def add_app(world: World, owner: str, slug: str = "recalibrate", key: tuple[bytes, bytes] | None = None) -> AppAccess:
    """Register an App and install it on all repositories of `owner`.

    `key` is a private and a public PEM; None makes a fresh pair.
    """
    private, public = key or generate_key()
    account = world.account(owner, AccountKind.ORGANIZATION)
    app = register_app(world, slug, account, public)
    return AppAccess(app, install(world, app, account), private)


def add_run(world: World, repo: Repo, run_dir: Path, attempts: Collection[int] | None = None) -> int:
    """Take over the given attempts (None: all) of a run directory; the run's id.

    Raises:
        UserError: the directory is not laid out as said above.
    """
    api = run_dir / "api"
    newest = _object(api / "run.json")
    last = int(newest.get("run_attempt") or 1)
    for number in range(1, last + 1):
        listed = api / f"attempt-{number}-jobs.json"
        if (attempts is not None and number not in attempts) or not listed.is_file():
            continue
        earlier = api / f"run-attempt-{number}.json"
        run = newest if number == last else _object(earlier)
        jobs = list(_object(listed)["jobs"])
        repo.runs.setdefault(int(run["id"]), {})[number] = RunAttempt({**run, "run_attempt": number}, jobs)
        _add_logs(repo, run_dir / f"attempt-{number}", [int(job["id"]) for job in jobs])
    _add_workflow(world, repo, newest)
    if int(newest["id"]) not in repo.runs:
        raise UserError(f"{run_dir}: holds none of the attempts asked for")
    return int(newest["id"])


def load(path: Path, directory: Path) -> Scenario:
    """Build the world that a scenario file describes, its repositories below `directory`.

    Raises:
        UserError: the file, or something it names, is not as it should be.
    """
    data, world = _object(path), new_world(directory)
    repositories = data.get("repositories")
    if not isinstance(repositories, list) or not repositories:
        raise UserError(f"{path}: repositories: needs at least one")
    try:
        for entry in repositories:
            _load_repository(world, path.parent, entry)
        access = add_app(world, str(repositories[0]["name"]).partition("/")[0])
        faults = [_fault(entry) for entry in data.get("faults", [])]
        wanted = tuple(Planned(int(it["run"]), int(it.get("attempt", 1))) for it in data.get("deliver", []))
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{path}: {type(error).__name__}: {error}") from error
    given = data.get("app", {})
    world.announces = bool(data.get("announce", False))
    world.faults += faults
    access.app.webhook_url = str(given.get("webhook_url", ""))
    access.app.webhook_secret = str(given.get("secret", access.app.webhook_secret))
    return Scenario(world, access, wanted)


def _fault(entry: dict[str, Any]) -> Fault:
    kind = FaultKind(entry["kind"])
    return planned(kind, str(entry["method"]), str(entry["route"]), skip=int(entry.get("skip", 0)))


def _load_repository(world: World, base: Path, entry: dict[str, Any]) -> None:
    repo = add_repository(world, base / entry["source"], entry["name"], entry.get("default_branch", ""))
    repo.private = bool(entry.get("private", False))
    repo.roles = {str(login): str(role) for login, role in entry.get("roles", {}).items()}
    for login in repo.roles:
        world.account(login)
    repo.protected = tuple(entry.get("protected", ()))
    for run in entry.get("runs", []):
        add_run(world, repo, base / run)
    for job, fate in entry.get("logs", {}).items():
        repo.logs.setdefault(int(job), JobLogFile()).fate = LogFate(fate)


def _add_logs(repo: Repo, attempt_dir: Path, jobs: Collection[int]) -> None:
    for job in jobs:
        log = attempt_dir / "jobs" / str(job) / f"job-{job}.log"
        if log.is_file() and log.resolve().is_relative_to(attempt_dir.resolve()):
            repo.logs[job] = JobLogFile(log.resolve())


def _add_workflow(world: World, repo: Repo, run: dict[str, Any]) -> None:
    number = int(run.get("workflow_id") or world.next_id())
    if all(it.id != number for it in repo.workflows):
        repo.workflows.append(Workflow(number, str(run.get("path") or ""), str(run.get("name") or "")))


def _object(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    except json.JSONDecodeError as error:
        raise UserError(f"{path}: line {error.lineno}: not JSON: {error.msg}") from error
    except ValueError as error:
        raise UserError(f"{path}: not JSON: {type(error).__name__}") from error
    if not isinstance(data, dict):
        raise UserError(f"{path}: not a JSON object")
    return data
