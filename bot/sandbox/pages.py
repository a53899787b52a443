"""What a person sees in a browser: repositories, pull requests, issues, files, commits, runs, check runs.

Read only, without authentication, on loopback; rendering is `html.py`'s.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from html import escape

from aiohttp import web

from bot.sandbox import html
from bot.sandbox.pages_checks import check_page, checks_of
from bot.sandbox.pages_git import blob_page, commit_page, raw_file
from bot.sandbox.pages_reviews import reviews_of
from bot.sandbox.state.issues import Comment, Issue
from bot.sandbox.state.repo import Repo
from bot.sandbox.state.world import World
from bot.sandbox.views_repo import stamp

Page = Callable[[World, Repo, dict[str, str]], str | bytes | None]


def add_routes(app: web.Application, world: World, executor: Executor) -> None:
    """Put the pages beside the API."""

    def endpoint(page: Page) -> Callable[[web.Request], object]:
        async def handle(request: web.Request) -> web.Response:
            repo = world.repo(f"{request.match_info['owner']}/{request.match_info['repo']}")
            parts, loop = dict(request.match_info), asyncio.get_running_loop()
            found = await loop.run_in_executor(executor, page, world, repo, parts) if repo else None
            if found is None:
                return web.Response(
                    status=404, text=html.page("Not found", "<h1>Not found</h1>"), content_type="text/html"
                )
            if isinstance(found, bytes):
                return web.Response(body=found, content_type="text/plain", charset="utf-8")
            return web.Response(text=found, content_type="text/html")

        return handle

    async def home(_: web.Request) -> web.Response:
        return web.Response(text=_home(world), content_type="text/html")

    app.router.add_get("/", home)
    for path, page in PAGES:
        app.router.add_get(f"/{{owner}}/{{repo}}{path}", endpoint(page))  # type: ignore[arg-type]  # aiohttp's alias is wider


def _home(world: World) -> str:
    rows = [
        [html.link(f"/{repo.full_name}", repo.full_name), str(len(repo.pulls())), str(len(repo.runs))]
        for repo in world.repos.values()
    ]
    sent = [
        [escape(it.event), escape(str(it.payload.get("action"))), str(it.status_code), escape(it.guid)]
        for it in reversed(world.deliveries[-50:])
    ]
    body = f"<h1>Repositories</h1>{html.table(['repository', 'pull requests', 'runs'], rows)}"
    return html.page("Sandbox", f"{body}<h2>Webhooks</h2>{html.table(['event', 'action', 'answer', 'GUID'], sent)}")


def repo_page(_world: World, repo: Repo, _: dict[str, str]) -> str:
    """A repository: pull requests, issues, runs and branches."""
    base = f"/{repo.full_name}"
    pulls = [
        [f"#{it.number}", html.link(f"{base}/pull/{it.number}", it.title), html.pill(state_of(it))]
        for it in repo.pulls()
    ]
    issues = [
        [f"#{it.number}", html.link(f"{base}/issues/{it.number}", it.title), html.pill(it.state)]
        for it in repo.issues.values()
        if it.pull is None
    ]
    runs = [
        [
            html.link(f"{base}/actions/runs/{number}", str(number)),
            escape(str(it.run["created_at"])),
            str(at),
            escape(str(it.run.get("conclusion"))),
        ]
        for number, attempts in repo.runs.items()
        for at, it in sorted(attempts.items())
    ]
    refs = [[escape(name), html.link(f"{base}/commit/{sha}", sha[:7])] for name, sha in repo.git.refs("refs/heads/")]
    body = (
        f"<h1>{escape(repo.full_name)}</h1><h2>Pull requests</h2>{html.table(['', 'title', 'state'], pulls)}"
        f"<h2>Issues</h2>{html.table(['', 'title', 'state'], issues)}"
        f"<h2>Workflow runs</h2>{html.table(['run', 'created', 'attempt', 'conclusion'], runs)}"
        f"<h2>Branches</h2>{html.table(['branch', 'tip'], refs)}"
    )
    return html.page(repo.full_name, body, repo.full_name)


def pull_page(_world: World, repo: Repo, parts: dict[str, str]) -> str | None:
    """A pull request: body, comments, checks, commits and files."""
    issue = repo.issues.get(int(parts["number"]))
    if issue is None or issue.pull is None:
        return None
    pull = issue.pull
    start = repo.git.merge_base(pull.base_sha, pull.head_sha) or pull.base_sha
    files = repo.git.diff(start, pull.head_sha)
    commits = [
        [
            html.link(f"/{repo.full_name}/commit/{it.sha}", it.sha[:7]),
            escape(it.message.split("\n")[0]),
            "Verified" if it.sha in repo.verified else "",
        ]
        for it in repo.git.log(f"{start}..{pull.head_sha}")
    ]
    body = (
        f"{_heading(issue)}<p>{html.pill(state_of(issue))} <b>{escape(issue.author.login)}</b> "
        f"<span class='dim'>wants to merge into</span> <code>{escape(pull.base_ref)}</code> "
        f"<span class='dim'>from</span> <code>{escape(pull.head_ref)}</code> {_labels(issue)}</p>"
        f"{_talk(repo, issue)}{reviews_of(repo, issue.number)}<h2>Checks</h2>{checks_of(repo, pull.head_sha)}"
        f"<h2>Commits</h2>{html.table(['commit', 'message', ''], commits)}"
        f"<h2>Files changed <span class='num'>{len(files)}</span></h2>{''.join(html.diff(file) for file in files)}"
    )
    return html.page(f"{issue.title} · #{issue.number}", body, repo.full_name)


def issue_page(_world: World, repo: Repo, parts: dict[str, str]) -> str | None:
    """An issue with its comments."""
    issue = repo.issues.get(int(parts["number"]))
    if issue is None:
        return None
    body = f"{_heading(issue)}<p>{html.pill(state_of(issue))} {_labels(issue)}</p>{_talk(repo, issue)}"
    return html.page(f"{issue.title} · #{issue.number}", body, repo.full_name)


def run_page(_world: World, repo: Repo, parts: dict[str, str]) -> str | None:
    """A workflow run: its attempts and their jobs."""
    attempts = repo.runs.get(int(parts["run_id"]))
    if attempts is None:
        return None
    body = f"<h1>Run {escape(parts['run_id'])}</h1>"
    for number, it in sorted(attempts.items()):
        rows = [
            [
                f'<a id="{job["id"]}" href="/{repo.full_name}/job-log/{job["id"]}">{escape(str(job["name"]))}</a>',
                escape(str(job.get("conclusion"))),
            ]
            for job in it.jobs
        ]
        sha = str(it.run["head_sha"])
        head = f"/{repo.full_name}/commit/{sha}"
        body += f"<h2>Attempt {number} {html.link(head, sha[:12])}</h2>{html.table(['job', 'conclusion'], rows)}"
    return html.page(f"Run {parts['run_id']}", body, repo.full_name)


def job_page(world: World, repo: Repo, parts: dict[str, str]) -> str | None:
    """A job stands on its run's page."""
    return run_page(world, repo, parts)


def job_log(_world: World, repo: Repo, parts: dict[str, str]) -> bytes | None:
    """A job's log as plain text."""
    log = repo.logs.get(int(parts["job_id"]))
    return log.path.read_bytes() if log and log.path and log.path.is_file() else None


PAGES: tuple[tuple[str, Page], ...] = (
    ("", repo_page),
    ("/pulls", repo_page),
    ("/pull/{number:[0-9]{1,9}}", pull_page),
    ("/pull/{number:[0-9]{1,9}}/files", pull_page),
    ("/issues/{number:[0-9]{1,9}}", issue_page),
    ("/commit/{sha}", commit_page),
    ("/blob/{rest:.+}", blob_page),
    ("/tree/{rest:.+}", blob_page),
    ("/raw/{rest:.+}", raw_file),
    ("/actions/runs/{run_id:[0-9]{1,18}}", run_page),
    ("/actions/runs/{run_id:[0-9]{1,18}}/job/{job_id:[0-9]{1,18}}", job_page),
    ("/job-log/{job_id:[0-9]{1,18}}", job_log),
    ("/runs/{check_id:[0-9]{1,18}}", check_page),
)


def state_of(issue: Issue) -> str:
    """The word on the pill."""
    if issue.pull is not None and issue.pull.merged_at is not None:
        return "merged"
    if issue.closed_at is None and issue.pull is not None and issue.pull.draft:
        return "draft"
    return issue.state


def _heading(issue: Issue) -> str:
    return f"<h1>{escape(issue.title)} <span class='num'>#{issue.number}</span></h1>"


def _labels(issue: Issue) -> str:
    return " ".join(f'<span class="label">{escape(it.name)}</span>' for it in issue.labels)


def _talk(repo: Repo, issue: Issue) -> str:
    first = html.box(
        f"<b>{escape(issue.author.login)}</b> <span class='dim'>{stamp(issue.created_at)}</span>",
        html.markdown(issue.body),
    )
    return first + "".join(_comment(repo, it) for it in repo.comments.values() if it.number == issue.number)


def _comment(repo: Repo, it: Comment) -> str:
    given = " ".join(reaction.content for reaction in repo.reactions.get(("comment", it.id), []))
    edited = " · edited" if it.updated_at != it.created_at else ""
    top = f"<b>{escape(it.author.login)}</b> <span class='dim'>{stamp(it.created_at)}{edited} {escape(given)}</span>"
    return f'<div id="issuecomment-{it.id}">{html.box(top, html.markdown(it.body))}</div>'
