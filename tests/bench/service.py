"""One nightly through the whole service: from the delivery to the pull request, and what it asks of GitHub.

`python -m tests.bench.service` prints the figures and the calls by kind; `measure` returns the
figures. A nightly of 60 jobs and 40 edits against the local GitHub, on loopback; the second night
is measured, whose task also has the first one's evidence. The bench must be the only service of
its process.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

from bot.app import Service, service
from bot.sandbox.generator import Generate, Generated, generate
from bot.sandbox.logs import ROUTE as LOGS_ORIGIN
from bot.sandbox.scenario import Scenario, load
from bot.sandbox.server import Sandbox
from tests.sandbox.service import settings_of

SIZE = Generate(jobs=60, edits=40)


@dataclass(frozen=True)
class Nightly:
    """One measured nightly. `calls` counts requests to the API by kind, `logs` those to the logs' own host.

    `processor_s` is what this process spent on it, the local GitHub's part with the service's.
    """

    seconds: float
    processor_s: float
    jobs: int
    edits: int
    calls: Counter[str]
    logs: int


def measure() -> dict[str, float]:
    """`webhook_to_pr_s`: seconds from the delivery to the pull request, by the clock."""
    return {"webhook_to_pr_s": round(asyncio.run(nightly()).seconds, 2)}


async def nightly(size: Generate = SIZE) -> Nightly:
    """One nightly of this size, the second of its repository."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        made = generate(folder / "made", size)
        scenario = load(folder / "made" / "scenario.json", folder / "github")
        sandbox = Sandbox(scenario.world)
        urls = await sandbox.start()
        try:
            async with service(settings_of(scenario.access, urls.api, folder)) as running:
                return await _nights(sandbox, scenario, made, running)
        finally:
            await sandbox.stop()


async def _nights(sandbox: Sandbox, scenario: Scenario, made: Generated, running: Service) -> Nightly:
    """Deliver all nights; the last one's figures."""
    runner = web.AppRunner(running.web, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        scenario.access.app.webhook_url = f"http://127.0.0.1:{runner.addresses[0][1]}/webhook"
        (repo,) = scenario.world.repos.values()
        for run in made.runs:
            mark, started, used = len(scenario.world.journal), time.perf_counter(), time.process_time()
            await sandbox.complete_run(run.run_id)
            ended = await running.queue.result(f"nightly:{repo.id}:{run.run_id}:1")
            seconds, processor_s = time.perf_counter() - started, time.process_time() - used
            assert isinstance(ended, dict)
            assert ended["outcome"] == "published", ended
    finally:
        await runner.cleanup()
    (pull,) = repo.pulls()
    assert pull.pull
    changed = repo.git.run("diff", "--name-only", f"{pull.pull.head_sha}^", pull.pull.head_sha).split()
    kinds = Counter(f"{one.method} {one.route}" for one in scenario.world.journal[mark:])
    logs = kinds.pop(f"GET {LOGS_ORIGIN}", 0)
    return Nightly(seconds, processor_s, len(repo.runs[made.runs[-1].run_id][1].jobs), len(changed), kinds, logs)


def main() -> int:
    """Measure once and print, the calls by kind too."""
    found = asyncio.run(nightly())
    print(f"{found.seconds:.2f} s, {found.jobs} jobs, {found.edits} edited files")
    print(f"{found.calls.total()} calls, {found.logs} logs from their own host")
    for kind, count in found.calls.most_common():
        print(f"{count:6} {kind}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
