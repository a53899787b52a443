"""Accounts, repositories, the App and its installations as GitHub's JSON: every required key, no other.

Nothing is decided here. Key sets: the public OpenAPI description of version 2022-11-28.
"""

from __future__ import annotations

from datetime import datetime

from bot.sandbox.state import Json
from bot.sandbox.state.access import Installation
from bot.sandbox.state.accounts import Account, AccountKind, App
from bot.sandbox.state.repo import Repo
from bot.sandbox.state.world import World

_USER_LINKS = {
    "followers_url": "/followers",
    "following_url": "/following{/other_user}",
    "gists_url": "/gists{/gist_id}",
    "starred_url": "/starred{/owner}{/repo}",
    "subscriptions_url": "/subscriptions",
    "organizations_url": "/orgs",
    "repos_url": "/repos",
    "events_url": "/events{/privacy}",
    "received_events_url": "/received_events",
}
_REPO_LINKS = {
    "archive_url": "/{archive_format}{/ref}",
    "assignees_url": "/assignees{/user}",
    "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}",
    "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}",
    "commits_url": "/commits{/sha}",
    "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}",
    "contributors_url": "/contributors",
    "deployments_url": "/deployments",
    "downloads_url": "/downloads",
    "events_url": "/events",
    "forks_url": "/forks",
    "git_commits_url": "/git/commits{/sha}",
    "git_refs_url": "/git/refs{/sha}",
    "git_tags_url": "/git/tags{/sha}",
    "issue_comment_url": "/issues/comments{/number}",
    "issue_events_url": "/issues/events{/number}",
    "issues_url": "/issues{/number}",
    "keys_url": "/keys{/key_id}",
    "labels_url": "/labels{/name}",
    "languages_url": "/languages",
    "merges_url": "/merges",
    "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}",
    "pulls_url": "/pulls{/number}",
    "releases_url": "/releases{/id}",
    "stargazers_url": "/stargazers",
    "statuses_url": "/statuses/{sha}",
    "subscribers_url": "/subscribers",
    "subscription_url": "/subscription",
    "tags_url": "/tags",
    "teams_url": "/teams",
    "trees_url": "/git/trees{/sha}",
    "hooks_url": "/hooks",
}


def stamp(at: datetime | None) -> str | None:
    """A time as GitHub writes it: UTC, whole seconds, `Z`."""
    return None if at is None else at.strftime("%Y-%m-%dT%H:%M:%SZ")


def node_id(kind: str, number: int) -> str:
    """A global node id; GraphQL finds the object again by it."""
    return f"{kind}_sandbox{number}"


def account(world: World, who: Account) -> Json:
    """GitHub's "simple user"."""
    url = f"{world.api_url}/users/{who.login}"
    path = f"apps/{who.login.removesuffix('[bot]')}" if who.kind is AccountKind.BOT else who.login
    return {
        "login": who.login,
        "id": who.id,
        "node_id": node_id("U", who.id),
        "avatar_url": f"{world.html_url}/avatars/{who.id}",
        "gravatar_id": "",
        "url": url,
        "html_url": f"{world.html_url}/{path}",
        **{key: url + path for key, path in _USER_LINKS.items()},
        "type": who.kind.value,
        "site_admin": False,
    }


def public_account(world: World, who: Account) -> Json:
    """An account as `GET /users/{username}` shows it."""
    made = "2020-01-01T00:00:00Z"
    return {
        **account(world, who),
        **dict.fromkeys(("name", "company", "location", "email", "hireable", "bio")),
        "blog": "",
        "public_repos": 0,
        "public_gists": 0,
        "followers": 0,
        "following": 0,
        "created_at": made,
        "updated_at": made,
    }


def api_url(world: World, repo: Repo) -> str:
    """Where the API has the repository."""
    return f"{world.api_url}/repos/{repo.full_name}"


def html_url(world: World, repo: Repo) -> str:
    """Where a person has the repository."""
    return f"{world.html_url}/{repo.full_name}"


def minimal_repository(world: World, repo: Repo) -> Json:
    """GitHub's "minimal repository", as inside runs."""
    url = api_url(world, repo)
    return {
        "id": repo.id,
        "node_id": node_id("R", repo.id),
        "name": repo.name,
        "full_name": repo.full_name,
        "private": repo.private,
        "owner": account(world, repo.owner),
        "html_url": html_url(world, repo),
        "description": None,
        "fork": False,
        "url": url,
        **{key: url + path for key, path in _REPO_LINKS.items()},
    }


def repository(world: World, repo: Repo) -> Json:
    """GitHub's "repository", as inside pull requests and webhooks."""
    html, made = html_url(world, repo), stamp(repo.created_at)
    return {
        **minimal_repository(world, repo),
        "git_url": html.replace("http", "git", 1) + ".git",
        "ssh_url": f"git@localhost:{repo.full_name}.git",
        "clone_url": f"{html}.git",
        "svn_url": html,
        "mirror_url": None,
        "homepage": None,
        "language": "Python",
        "license": None,
        **dict.fromkeys(("forks", "forks_count", "stargazers_count", "watchers", "watchers_count", "size"), 0),
        **dict.fromkeys(("open_issues", "open_issues_count"), _open_issues(repo)),
        "default_branch": repo.default_branch,
        "topics": [],
        "is_template": False,
        "visibility": "private" if repo.private else "public",
        **dict.fromkeys(("has_issues", "has_projects", "has_wiki", "has_downloads"), True),
        **dict.fromkeys(("has_pages", "has_discussions", "disabled"), False),
        "archived": repo.archived,
        "allow_forking": True,
        "web_commit_signoff_required": False,
        "pushed_at": made,
        "created_at": made,
        "updated_at": made,
    }


def full_repository(world: World, repo: Repo) -> Json:
    """A repository as `GET /repos/{owner}/{repo}` shows it."""
    extra: Json = {"subscribers_count": 0, "network_count": 0, "temp_clone_token": None}
    if repo.owner.kind is AccountKind.ORGANIZATION:
        extra["organization"] = account(world, repo.owner)
    return {**repository(world, repo), **extra}


def app(world: World, it: App) -> Json:
    """GitHub's "integration"."""
    return {
        "id": it.id,
        "slug": it.slug,
        "client_id": it.client_id,
        "node_id": node_id("A", it.id),
        "owner": account(world, it.owner),
        "name": it.name,
        "description": None,
        "external_url": f"{world.html_url}/apps/{it.slug}",
        "html_url": f"{world.html_url}/apps/{it.slug}",
        "created_at": stamp(it.created_at),
        "updated_at": stamp(it.created_at),
        "permissions": it.permissions,
        "events": list(it.events),
    }


def installation(world: World, it: Installation) -> Json:
    """GitHub's "installation"."""
    return {
        "id": it.id,
        "account": account(world, it.account),
        "repository_selection": "all" if it.repositories is None else "selected",
        "access_tokens_url": f"{world.api_url}/app/installations/{it.id}/access_tokens",
        "repositories_url": f"{world.api_url}/installation/repositories",
        "html_url": f"{world.html_url}/settings/installations/{it.id}",
        "app_id": it.app.id,
        "client_id": it.app.client_id,
        "app_slug": it.app.slug,
        "target_id": it.account.id,
        "target_type": it.account.kind.value,
        "permissions": it.permissions,
        "events": list(it.app.events),
        "created_at": stamp(it.created_at),
        "updated_at": stamp(it.created_at),
        "single_file_name": None,
        "suspended_by": None,
        "suspended_at": stamp(it.suspended_at),
    }


def _open_issues(repo: Repo) -> int:
    return sum(issue.closed_at is None for issue in repo.issues.values())
