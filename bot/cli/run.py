"""`recalibrate run`: the road of nights that a person names, once, without a webhook or a store.

Against github.com, an Enterprise Server or a local GitHub. The nights a lower needs are read from
GitHub where fewer are named. A dry run prints what would be published and writes nothing.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from bot.app import Workbench, workbench
from bot.domain import HostRepository, Run, RunId, TaskKind, TaskRequest
from bot.errors import UserError
from bot.publish.body import report
from bot.publish.links import Links
from bot.publish.names import EVIDENCE_BRANCH, ROLLING_KEY, marker, rolling_branch
from bot.publish.patch import patch
from bot.records.measurements import RunQuery
from bot.settings import Credentials
from bot.tasks.material import Published
from bot.tasks.outcomes import Ending
from bot.tasks.pipeline import Pipeline
from bot.tasks.ports import Forge
from bot.tasks.selection import Selection
from bot.tasks.stepping import PlainSteps

LOOK_BACK = timedelta(days=21)

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What was asked for. `nights` counts all nights to read, the named ones included."""

    repository: str
    runs: tuple[RunId, ...]
    nights: int
    policy: str | None = None
    dry_run: bool = False
    host: str = ""  # owner/name of the repository in which the runs took place, where that is another one


async def run(options: RunOptions, credentials: Credentials, say: Say) -> None:
    """Do it and say how it ended.

    Raises:
        UserError: something a person can fix, with the way.
        RetryableError: GitHub did not answer.
    """
    with tempfile.TemporaryDirectory(prefix="recalibrate-run-") as folder:
        async with workbench(credentials, options.repository, Path(folder)) as bench:
            named = await _requests(options, bench, say)
            pipeline = Pipeline(bench.workshop)
            selection = Selection(policy=options.policy)
            if options.dry_run:
                say(_preview(await pipeline.preview(PlainSteps(), named, selection), bench, named[-1]))
                return
            ended = await pipeline.perform_named(PlainSteps(), named, selection)
            say(_told(ended))


async def _requests(options: RunOptions, bench: Workbench, say: Say) -> tuple[TaskRequest, ...]:
    """One request a night, the oldest first."""
    at, forge = await _place(options.host or options.repository, bench)
    runs = [await forge.runs.run(run_id) for run_id in options.runs]
    unfinished = [str(one.run_id) for one in runs if not one.conclusion]
    if unfinished:
        raise UserError(f"run {', '.join(unfinished)}: not completed yet; try again when it is")
    runs += await _earlier(options, forge, runs)
    watched = (await _place(options.repository, bench))[0] if options.host else at
    runs.sort(key=lambda one: (one.created_at is not None, one.created_at, one.run_id))
    for one in runs:
        say(f"run {one.run_id}, attempt {one.attempt}: {one.event} on {one.head_branch}, {one.conclusion}")
    return tuple(_request(one, watched, at if options.host else None) for one in runs)


async def _place(repository: str, bench: Workbench) -> tuple[HostRepository, Forge]:
    """A repository as GitHub knows it now, and the way to it."""
    installation_id = await bench.installed_on(repository)
    forge = bench.forge(TaskRequest(TaskKind.NIGHTLY, installation_id, repository=repository))
    facts = await forge.facts()
    return HostRepository(installation_id, facts.repository_id, facts.full_name), forge


async def _earlier(options: RunOptions, forge: Forge, named: Sequence[Run]) -> list[Run]:
    """Nights of the same workflow before the oldest named one, as many as are wanted."""
    wanted = options.nights - len(named)
    oldest = min(named, key=lambda one: (one.created_at is not None, one.created_at))
    if wanted <= 0 or oldest.created_at is None:
        return []
    query = RunQuery(oldest.workflow, oldest.event, oldest.head_branch, oldest.created_at - LOOK_BACK)
    found = await forge.runs.recent(query, 100)
    known = {one.run_id for one in named}
    before = [one for one in found if one.run_id not in known and one.created_at and one.created_at < oldest.created_at]
    return before[:wanted]


def _request(run: Run, watched: HostRepository, host: HostRepository | None) -> TaskRequest:
    return TaskRequest(
        kind=TaskKind.NIGHTLY,
        installation_id=watched.installation_id,
        repository_id=watched.repository_id,
        repository=watched.repository,
        run_id=run.run_id,
        attempt=run.attempt,
        host=host,
    )


def _told(ended: object) -> str:
    return f"{ended['outcome']}: {ended['detail']}" if isinstance(ended, dict) else str(ended)


def _preview(found: Published | Ending, bench: Workbench, request: TaskRequest) -> str:
    """What would be published, as text."""
    if isinstance(found, Ending):
        return f"{found.name.value}: {found.detail}"
    evaluation, forge = found.evaluation, bench.forge(request)
    links = Links(server=forge.web, marker=marker(forge.app_id, ROLLING_KEY))
    if evaluation.report_only:
        what = f"nothing would be changed: {evaluation.report_only}"
    elif not evaluation.edits:
        what = "nothing would be changed: no literal is off"
    else:
        what = f"{rolling_branch(evaluation.base)} would get one commit on {evaluation.base_sha}"
    evidence = f"{EVIDENCE_BRANCH} would get {found.evidence.directory}: {', '.join(sorted(found.evidence.files))}"
    diff = patch(evaluation.edits).decode(errors="replace")
    return f"dry run: nothing was written\n{what}\n{evidence}\n\n{report(evaluation, links)}\n{diff}"
