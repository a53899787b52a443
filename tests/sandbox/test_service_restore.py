"""After a backup of a while ago was put back nothing is published a second time, and work goes on."""

from __future__ import annotations

from pathlib import Path

from bot.cli.backup import QUEUE_COPY, STORE_COPY, backup
from bot.sandbox.generator import Generated
from tests.sandbox.service import Case, rig


def put_back(case: Case, folder: Path) -> None:
    """As the manual says: stop, the copies in the place of the files and their logs, start."""
    settings = case.rig.settings
    case.rig.stop()
    for name, url in ((STORE_COPY, settings.database_url), (QUEUE_COPY, settings.queue_url)):
        path = Path(url.removeprefix("sqlite:///"))
        for beside in path.parent.glob(f"{path.name}*"):
            beside.unlink()
        path.write_bytes((folder / name).read_bytes())
    case.rig.start()


def environment(case: Case) -> dict[str, str]:
    settings = case.rig.settings
    return {"RECALIBRATE_DATABASE_URL": settings.database_url, "RECALIBRATE_QUEUE_URL": settings.queue_url}


def test_a_backup_from_before_a_publication_leads_to_the_same_world(generated: Generated, tmp_path: Path) -> None:
    with rig(tmp_path / "service") as running:
        case, runs = running.started(generated, "restored")
        backup(environment(case), tmp_path / "before", lambda _line: None)
        assert case.nightly(runs[0], guid="first").outcome == "published"
        backup(environment(case), tmp_path / "between", lambda _line: None)
        assert case.nightly(runs[1], guid="second").outcome in ("published", "refreshed")
        world, requests = case.seen(), case.store.deliveries.newest(10)
        assert len(requests) == 2

        put_back(case, tmp_path / "between")
        assert [one.guid for one in case.store.deliveries.newest(10)] == ["first"]
        case.nightly(runs[0], guid="first")  # the queue knows it: nothing is done
        assert case.nightly(runs[1], guid="second").outcome in ("published", "refreshed")
        assert case.seen() == world

        put_back(case, tmp_path / "before")
        assert case.store.publications.latest(case.repository_id, "recalibrate/main") is None
        case.nightly(runs[1], guid="second")
        assert len(case.pulls) == 1
        assert case.tip() == world["refs/heads/recalibrate/main"]
