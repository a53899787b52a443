"""What the doctor concludes from what it found: one line each, `ok` or `FAIL` with the remedy.

Values in, findings out; who is asked, and in which order, is `bot.cli.doctor`'s part.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from bot.domain import RunId
from bot.forge.installations import GrantedInstallation
from bot.forge.needs import EVENTS, NEVER, lacking
from bot.forge.payloads.apps import AppPayload, HookConfigPayload
from bot.forge.webhook_api import RecentDeliveries
from bot.publish.visible import clipped, visible
from bot.records.repositories import ConfigSnapshot, ConfigStatus
from bot.records.work import TaskOutcome
from bot.repo_config import DEFAULT
from bot.tasks.outcomes import OutcomeName

CLOCKS_DIFFER_S = 30.0  # a JWT dated more than a minute ahead of GitHub's clock is refused
DELIVERIES_SINCE = timedelta(days=3)  # as far back as GitHub sends a delivery again
MOST_CHARACTERS = 400
WANT_A_PERSON = frozenset(
    {
        OutcomeName.CONFIG_INVALID,
        OutcomeName.CONFIG_UNREADABLE,
        OutcomeName.BRANCH_PROTECTED,
        OutcomeName.PULL_REQUEST_FORBIDDEN,
        OutcomeName.LOGS_FORBIDDEN,
        OutcomeName.BRANCH_OF_A_PERSON,
        OutcomeName.BRANCH_OF_ANOTHER_APP,
        OutcomeName.GATE_REFUSED,
        OutcomeName.NOT_SAVED,
        OutcomeName.SUSPENDED,
        OutcomeName.REFUSED,
        OutcomeName.INTERNAL_ERROR,
    }
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at. A remedy makes it a failure; without one it is well."""

    what: str
    told: str
    remedy: str = ""

    @property
    def well(self) -> bool:
        """True where there is nothing to do."""
        return not self.remedy

    def __str__(self) -> str:
        told = clipped(visible(f"{self.what}: {self.told}"), MOST_CHARACTERS)
        return f"ok   {told}" if self.well else f"FAIL {told}; {visible(self.remedy)}"


@dataclass(frozen=True, slots=True)
class Night:
    """A repository's newest night."""

    run_id: RunId
    created_at: datetime | None


@dataclass(frozen=True, slots=True)
class Known:
    """What the store knows of one repository. `registrations` is their number at the newest commit noted."""

    full_name: str
    config: ConfigSnapshot
    night: Night | None
    registrations: int
    outcome: TaskOutcome | None


def not_asked(whats: Iterable[str], why: str) -> Iterator[Finding]:
    """What there was no use in asking, for a reason that stands in a line above."""
    for what in whats:
        yield Finding(what, f"not asked: {why}", "see the lines above")


def clock(ours: datetime, theirs: datetime) -> Finding:
    """This machine's clock against GitHub's; both aware."""
    ahead_s = round((ours - theirs).total_seconds())
    told = "within a second of GitHub's" if abs(ahead_s) <= 1 else f"{abs(ahead_s)} s {_side(ahead_s)} GitHub's"
    return Finding("clock", told, "synchronise it (NTP)" if abs(ahead_s) > CLOCKS_DIFFER_S else "")


def _side(ahead_s: int) -> str:
    return "ahead of" if ahead_s > 0 else "behind"


def of_app(app: AppPayload) -> Iterator[Finding]:
    """What the App asks for: its permissions and its events."""
    yield Finding("app", f"{app.slug}, id {app.id}, is reached with the key")
    less, more = lacking(app.permissions), [name for name in NEVER if name in app.permissions]
    if less:
        yield Finding("app permissions", f"lacks {', '.join(less)}", "grant them in the App's settings")
    if more:
        yield Finding("app permissions", f"has {', '.join(more)}", "take them away: nothing here needs them")
    if not less and not more:
        yield Finding("app permissions", "as needed")
    missing = [name for name in EVENTS if name not in app.events]
    told = f"not subscribed to {', '.join(missing)}" if missing else "as needed"
    yield Finding("app events", told, "subscribe to them in the App's settings" if missing else "")


def webhook(hook: HookConfigPayload) -> Finding:
    """Where GitHub sends deliveries to, and in which way."""
    if not hook.url:
        return Finding("webhook", "none", "set the App's webhook active, with URL https://HOST/webhook")
    told = f"leads to {hook.url}"
    if not urlsplit(hook.url).path.endswith("/webhook"):
        return Finding("webhook", told, "end the App's webhook URL in /webhook")
    if hook.content_type == "form":
        return Finding("webhook", f"{told}, as a form", "set its content type to application/json")
    if str(hook.insecure_ssl) in ("1", "1.0"):
        return Finding("webhook", f"{told}, whoever answers there", "let GitHub verify the certificate")
    return Finding("webhook", told)


def pages(configured: str, app: AppPayload) -> Iterator[Finding]:
    """Whether the pages' client id, "" for no pages, is this App's."""
    if not configured:
        return
    wrong = app.client_id and app.client_id != configured
    told = f"sign in through {configured}"
    remedy = f"set RECALIBRATE_PAGES_CLIENT_ID to {app.client_id}, and its secret" if wrong else ""
    yield Finding("pages", f"{told}, which is another App's" if wrong else told, remedy)


def deliveries(recent: RecentDeliveries) -> Finding:
    """Whether GitHub's webhooks arrive."""
    days = f"in the last {DELIVERIES_SINCE.days} days"
    if recent.lost:
        how = f"the newest was answered with {recent.status}" if recent.status else "nobody answered the newest"
        told = f"{len(recent.lost)} never arrived {days}, {recent.arrived} did; {how}"
        return Finding("deliveries", told, _remedy_of_status(recent.status))
    if not recent.arrived:
        return Finding("deliveries", f"none {days}", "set the App's webhook active, with URL https://HOST/webhook")
    return Finding("deliveries", f"all {recent.arrived} arrived {days}")


def _remedy_of_status(status: int) -> str:
    if status == 401:
        return "give RECALIBRATE_WEBHOOK_SECRET and the App's webhook the same secret"
    if status in (404, 405):
        return "end the App's webhook URL in /webhook"
    return "see that the App's webhook URL leads to this service and that it serves; a sweep asks for them again"


def of_installation(found: GrantedInstallation) -> Finding:
    """Whether an installation lets us do what we are for."""
    what = f"installation {found.installation.installation_id} ({found.installation.account or 'an enterprise'})"
    if found.installation.suspended:
        return Finding(what, "suspended", "unsuspend it in the account's settings, or uninstall it")
    less = lacking(found.permissions)
    if less:
        return Finding(what, f"lacks {', '.join(less)}", "have its owner accept the App's new permissions")
    return Finding(what, "grants what is needed")


def of_repository(known: Known, now: datetime) -> Iterator[Finding]:
    """Configuration, nightly, registrations and last outcome, one finding each."""
    yield _configuration(known)
    yield _nightly(known, now)
    remedy = "" if known.registrations else "wait for a first nightly; then see `registrations` in its configuration"
    yield Finding(f"{known.full_name} registrations", f"{known.registrations} seen", remedy)
    yield _outcome(known)


def _configuration(known: Known) -> Finding:
    config, what = known.config, f"{known.full_name} configuration"
    told = f"{config.status.value} at {config.commit[:7]}" if config.commit else config.status.value
    if config.status in (ConfigStatus.VALID, ConfigStatus.ABSENT):
        return Finding(what, f"{told}, the defaults hold" if config.status is ConfigStatus.ABSENT else told)
    if config.status is ConfigStatus.UNSEEN:
        return Finding(what, "not read yet", "it is read with the first nightly or the comment `/recalibrate`")
    problems = "; ".join(config.problems[:3])
    return Finding(what, f"{told}: {problems}", "mend .github/recalibrate.yml; `recalibrate check-config` checks it")


def _nightly(known: Known, now: datetime) -> Finding:
    what, nightly = f"{known.full_name} nightly", (known.config.config or DEFAULT).nightly
    if known.night is None:
        return Finding(what, "none seen", "see that `nightly.workflows` names a workflow that completes by schedule")
    at = known.night.created_at
    told = f"newest is run {known.night.run_id}" + (f" of {at:%Y-%m-%d %H:%M} UTC" if at else "")
    if at and now - at > timedelta(days=nightly.silent_days):
        return Finding(what, told, f"none for {nightly.silent_days} days: see whether the workflow still runs")
    return Finding(what, told)


def _outcome(known: Known) -> Finding:
    what, last = f"{known.full_name} last outcome", known.outcome
    if last is None:
        return Finding(what, "none", "no task has ended: see the deliveries, and that a worker serves")
    told = f"{last.kind.value} of {last.ended_at:%Y-%m-%d %H:%M} UTC: {last.name}"
    told = f"{told}, {last.detail}" if last.detail else told
    wants = last.name in WANT_A_PERSON
    return Finding(what, told, f'see {last.name} under "How a task ends" in docs/operation.md' if wants else "")


def unlisted(names: Collection[str]) -> Iterator[Finding]:
    """Repositories that the store takes for installed and GitHub does not list."""
    for name in names:
        yield Finding(name, "known here, and no installation lists it", "install the App on it; else a sweep drops it")
