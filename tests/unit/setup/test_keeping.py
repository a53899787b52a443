"""Promises of where secrets go: to files of their owner alone, whole, never over others; or printed once."""

from __future__ import annotations

import json
import resource
import shlex
import stat
from pathlib import Path

import pytest

from bot.errors import UserError
from bot.forge.endpoint import Endpoint
from bot.forge.manifests import MadeApp
from bot.forge.secret import Secret
from bot.settings import server_settings
from bot.setup.keeping import Folder, Printed
from bot.setup.wish import Wish

APP = MadeApp(7, "made", "https://git.zoo/apps/made", "Iv1.7", Secret("PEM\nplanted"), Secret("hook"), Secret("client"))
WISH = Wish(Endpoint.of("https://git.zoo/api/v3"), "https://recalibrate.zoo")


def environment(path: Path, *, pages: bool = False) -> dict[str, str]:
    """What a shell, systemd or a container makes of a file of settings."""
    lines = path.read_text().splitlines()
    if pages:
        lines = [line.removeprefix("#") if line.startswith("#RECALIBRATE_") else line for line in lines]
    return dict(shlex.split(line)[0].split("=", 1) for line in lines if not line.startswith("#"))


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_is_kept_is_what_the_service_reads_and_the_pages_are_off(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "a b" / "app")
    folder.ready()
    assert folder.keep(APP, WISH) == f"set -a; . '{folder.path}/recalibrate.env'; set +a; recalibrate serve"
    found = server_settings(environment(folder.path / "recalibrate.env"))
    assert (found.app_id, found.private_key, found.webhook_secret) == (7, "PEM\nplanted", "hook")
    assert found.github_url == "https://git.zoo"
    assert found.pages is None


def test_the_lines_for_the_pages_are_whole_once_they_are_on(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "app")
    folder.ready()
    folder.keep(APP, WISH)
    pages = server_settings(environment(folder.path / "recalibrate.env", pages=True)).pages
    assert pages is not None
    assert (pages.client_id, pages.client_secret, pages.url) == ("Iv1.7", "client", "https://recalibrate.zoo")


def test_folder_and_files_are_their_owners_alone(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "app")
    folder.ready()
    folder.keep(APP, WISH)
    assert mode(folder.path) == 0o700
    assert {mode(one) for one in folder.path.iterdir()} == {0o600}
    assert len(list(folder.path.iterdir())) == 5


def test_a_folder_that_others_may_look_into_is_refused(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir(mode=0o755)
    with pytest.raises(UserError, match="chmod 700"):
        Folder(tmp_path / "app").ready()


def test_what_cannot_be_a_folder_is_refused_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=f"{tmp_path}/file: cannot be written"):
        Folder(tmp_path / "file").ready()


@pytest.mark.parametrize("name", ["private-key", "webhook-secret", "pages-key", "recalibrate.env"])
def test_an_earlier_set_up_is_found_before_anything_is_made_and_stays(tmp_path: Path, name: str) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / name).write_text("earlier")
    with pytest.raises(UserError, match=f"has {name} already; .*--replace"):
        Folder(tmp_path).ready()
    with pytest.raises(UserError):  # and where it came to be there meanwhile
        Folder(tmp_path).keep(APP, WISH)
    assert (tmp_path / name).read_text() == "earlier"
    assert not list(tmp_path.glob(".*"))


def test_an_earlier_set_up_is_replaced_where_that_is_asked_for(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "private-key").write_text("earlier")
    folder = Folder(tmp_path, overwrites=True)
    folder.ready()
    folder.keep(APP, WISH)
    assert (tmp_path / "private-key").read_text() == "PEM\nplanted"
    assert mode(tmp_path / "private-key") == 0o600


def test_a_link_that_lies_in_the_way_is_not_followed(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "private-key").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UserError, match="private-key already"):
        Folder(tmp_path).ready()
    Folder(tmp_path, overwrites=True).keep(APP, WISH)
    assert not (tmp_path / "elsewhere").exists()


def test_printed_secrets_are_one_object_of_settings_with_the_pages_apart() -> None:
    printed: list[str] = []
    Printed(printed.append).keep(APP, WISH)
    (text,) = printed
    values = json.loads(text)
    pages = values.pop("pages")
    assert server_settings(values).private_key == "PEM\nplanted"
    assert server_settings({**values, **pages}).pages is not None


def test_an_output_that_nobody_reads_is_told() -> None:
    def closed(_text: str) -> None:
        raise BrokenPipeError(32, "Broken pipe")

    with pytest.raises(UserError, match="standard output: Broken pipe"):
        Printed(closed).keep(APP, WISH)


def test_no_secret_of_a_made_app_shows_in_a_representation() -> None:
    assert "planted" not in repr(APP)
    assert "client'" not in repr(APP)


def test_of_a_secret_that_finds_no_room_nothing_is_left(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "app")
    folder.ready()
    allowed = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4, allowed[1]))
    try:
        with pytest.raises(UserError, match="File too large"):
            folder.keep(APP, WISH)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, allowed)
    assert list(folder.path.iterdir()) == []
