"""The pages a person looks at: the pull request whole, hostile text as text, nothing loaded from elsewhere."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from tests.sandbox.hub import Hub, Reply, http

HOSTILE = "<script>alert(1)</script><img src=https://evil.invalid/x.png onerror=alert(1)>"
BODY = f"""## Summary

| test | before | after |
|---|---|---|
| `tests/test_one.py` | 100 | 200 |

<details><summary>Identity</summary>

- **identical**

</details>

<!-- recalibrate app=1 key=x -->
[run](http://127.0.0.1:1/octo/tests/actions/runs/77)
{HOSTILE}
"""


class _Page(HTMLParser):
    """The tags of a page, the text outside of styles, and whatever a browser would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loads: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if (
                name in ("src", "srcset", "data", "poster")
                or name.startswith("on")
                or (tag == "link" and name == "href")
            ):
                self.loads.append(str(value))

    def handle_data(self, data: str) -> None:
        self.text += data


def page(hub: Hub, path: str) -> tuple[_Page, Reply]:
    reply = http("GET", hub.running.urls.html + path)
    return _Page(reply.body.decode()), reply


@pytest.fixture
def pull(hub: Hub) -> Hub:
    """Pull request 1 with a comment, a label, a reaction, a check run and hostile names."""
    mona = hub.person()
    mona.commit(
        "recalibrate/main",
        {"tests/test_one.py": b"register_cuda_ci(est_time=200, suite='a')\n", "<b>.csv": b"a,b\n1,<script>x\n"},
        f"ci: est_time {HOSTILE}",
    )
    made = hub.call("POST", "/pulls", {"title": HOSTILE[:60], "head": "recalibrate/main", "base": "main", "body": BODY})
    number = made.json["number"]
    hub.call("POST", f"/issues/{number}/labels", {"labels": ["<i>"]})
    comment = mona.comment(number, f"**well** {HOSTILE}")
    hub.call("POST", f"/issues/comments/{comment.id}/reactions", {"content": "eyes"})
    head = made.json["head"]["sha"]
    note = {
        "path": "tests/test_one.py",
        "start_line": 1,
        "end_line": 1,
        "annotation_level": "notice",
        "message": HOSTILE,
    }
    output = {"title": HOSTILE, "summary": BODY, "annotations": [note]}
    hub.call(
        "POST", "/check-runs", {"name": "recalibrate", "head_sha": head, "conclusion": "neutral", "output": output}
    )
    return hub


def test_a_pull_request_shows_body_diff_files_checks_and_comments(pull: Hub) -> None:
    seen, reply = page(pull, "/octo/tests/pull/1")
    assert reply.status == 200
    assert {"table", "details", "summary", "strong"} <= set(seen.tags)
    for part in (
        "Summary",
        "est_time=200",
        "est_time=100",
        "tests/test_one.py",
        "recalibrate",
        "Neutral",
        "mona",
        "eyes",
    ):
        assert part in seen.text
    assert "recalibrate app=1" not in seen.text


@pytest.mark.parametrize(
    "path",
    ["/", "/octo/tests", "/octo/tests/pulls", "/octo/tests/pull/1", "/octo/tests/issues/1", "/octo/tests/pull/1/files"],
)
def test_no_page_runs_or_loads_anything(pull: Hub, path: str) -> None:
    seen, reply = page(pull, path)
    assert reply.status == 200
    assert "script" not in seen.tags
    assert "img" not in seen.tags
    assert seen.loads in ([], ["data:,"])


def test_the_commit_the_check_run_and_the_file_have_pages_too(pull: Hub) -> None:
    sha = pull.repo.git.ref("refs/heads/recalibrate/main")
    check = next(iter(pull.repo.checks))
    for path in (f"/octo/tests/commit/{sha}", f"/octo/tests/runs/{check}", "/octo/tests/blob/recalibrate/main/<b>.csv"):
        seen, reply = page(pull, path)
        assert reply.status == 200
        assert "script" not in seen.tags
        assert seen.loads == ["data:,"]


def test_a_csv_is_a_table_and_a_source_file_has_linkable_lines(pull: Hub) -> None:
    assert "td" in page(pull, "/octo/tests/blob/recalibrate/main/%3Cb%3E.csv")[0].tags
    assert re.search(rb'id="L1"', page(pull, "/octo/tests/blob/main/tests/test_one.py")[1].body)
    assert "test_one.py" in page(pull, "/octo/tests/tree/main/tests")[0].text


def test_a_raw_file_is_its_bytes_as_plain_text(pull: Hub) -> None:
    reply = http("GET", f"{pull.running.urls.html}/octo/tests/raw/main/tests/latin.py")
    assert reply.body == pull.repo.git.blob(str(pull.repo.git.resolve("main:tests/latin.py")))
    assert reply.headers["Content-Type"].startswith("text/plain")


@pytest.mark.parametrize(
    "path",
    [
        "/octo/none",
        "/octo/tests/pull/99",
        "/octo/tests/blob/none/x",
        "/octo/tests/blob/main/none",
        "/octo/tests/runs/1",
    ],
)
def test_what_is_not_there_is_404(hub: Hub, path: str) -> None:
    assert page(hub, path)[1].status == 404
