"""Pieces of plain HTML: the frame of a page, rendered Markdown, diffs, tables. Nothing external is loaded.

Everything that is not Markdown is escaped; Markdown goes through a cleaner that keeps GitHub's
common tags and drops images, scripts and styles.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from html import escape

import nh3
from markdown_it import MarkdownIt

from bot.sandbox.git_diff import FileDiff

_TAGS = {
    *("a", "b", "blockquote", "br", "code", "dd", "del", "details", "div", "dl", "dt", "em", "h1", "h2", "h3", "h4"),
    *("h5", "h6", "hr", "i", "ins", "kbd", "li", "ol", "p", "pre", "s", "samp", "span", "strong", "sub", "summary"),
    *("sup", "table", "tbody", "td", "th", "thead", "tr", "tt", "ul"),
}
_ATTRIBUTES = {"a": {"href", "title"}, "td": {"align"}, "th": {"align"}, "details": {"open"}, "ol": {"start"}}
_MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
_MAX_CSV_ROWS = 2000

STYLE = """
:root{--line:#d1d9e0;--soft:#f6f8fa;--text:#1f2328;--dim:#59636e;--link:#0969da}
*{box-sizing:border-box}
body{margin:0;font:14px/1.5 system-ui,sans-serif;color:var(--text);background:#fff}
header{background:#24292f;color:#fff;padding:10px 24px}
header a{color:#fff;font-weight:600;margin-right:12px}header span{color:#b7bfc7}
main{max-width:1180px;margin:0 auto;padding:16px 24px 64px}
a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}
h1{font-size:24px;font-weight:500;margin:8px 0}h2{font-size:17px;margin:28px 0 8px}
.dim{color:var(--dim)}.num{color:var(--dim);font-weight:300}
.pill{display:inline-block;border-radius:2em;padding:2px 12px;color:#fff;background:#1a7f37;font-weight:500}
.pill.draft,.pill.neutral,.pill.skipped,.pill.cancelled,.pill.queued,.pill.in_progress{background:#59636e}.pill.closed,.pill.failure,.pill.timed_out{background:#cf222e}.pill.merged{background:#8250df}
.label{border:1px solid var(--line);border-radius:2em;padding:0 8px;font-size:12px}
.box{border:1px solid var(--line);border-radius:6px;margin:12px 0}
.box>.top{background:var(--soft);border-bottom:1px solid var(--line);padding:8px 16px;border-radius:6px 6px 0 0}
.box>.in{padding:12px 16px;overflow-x:auto}
table{border-collapse:collapse;margin:8px 0;display:block;overflow-x:auto;max-width:100%}
th,td{border:1px solid var(--line);padding:4px 10px;text-align:left;vertical-align:top}th{background:var(--soft)}
code,pre{font:12px/1.5 ui-monospace,monospace}code{background:#eff1f3;border-radius:4px;padding:1px 4px}
pre{background:var(--soft);padding:12px;overflow-x:auto;border-radius:6px}pre code{background:none;padding:0}
blockquote{margin:0;padding-left:12px;border-left:4px solid var(--line);color:var(--dim)}
.code{font:12px/1.6 ui-monospace,monospace}.code span{display:block;white-space:pre;padding:0 12px}
.code .add{background:#dafbe1}.code .del{background:#ffebe9}.code .hunk{background:#ddf4ff;color:var(--dim)}
.code span:target{background:#fff8c5}.code i{display:inline-block;width:5em;color:var(--dim);user-select:none}
summary{cursor:pointer}
.sheet td,.sheet th{white-space:nowrap}h1 code{font-size:18px}
"""


def page(title: str, body: str, repository: str = "") -> str:
    """A whole page; `repository` (owner/name) is linked to in its head."""
    home = link(f"/{repository}", repository) if repository else ""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width,initial-scale=1"><link rel="icon" href="data:,">'
        f'<style>{STYLE}</style></head><body><header><a href="/">Sandbox</a>'
        f"{home}<span>a local stand-in for GitHub; nothing here leaves this machine</span></header>"
        f"<main>{body}</main></body></html>"
    )


def markdown(text: str | None) -> str:
    """Markdown as a browser shows it, cleaned."""
    if not text:
        return '<p class="dim">No description provided.</p>'
    return nh3.clean(_MARKDOWN.render(text), tags=_TAGS, attributes=_ATTRIBUTES, url_schemes={"http", "https"})


def link(target: str, text: str) -> str:
    """A link."""
    return f'<a href="{escape(target)}">{escape(text)}</a>'


def pill(word: str) -> str:
    """A state as GitHub's coloured pill."""
    return f'<span class="pill {escape(word)}">{escape(word.replace("_", " ").capitalize())}</span>'


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; the head is text, the cells are HTML."""
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    if not lines:
        return '<p class="dim">None.</p>'
    return f"<table><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table>"


def box(top: str, inner: str) -> str:
    """A framed box; both parts are HTML."""
    return f'<div class="box"><div class="top">{top}</div><div class="in">{inner}</div></div>'


def diff(file: FileDiff) -> str:
    """One file's patch, coloured."""
    name = f"{file.previous} → {file.path}" if file.previous else file.path
    lines = "".join(_diff_line(line) for line in (file.patch or "").split("\n")) if file.patch else "Binary or no text."
    head = f"<code>{escape(name)}</code> <span class='dim'>{file.status} +{file.additions} -{file.deletions}</span>"
    return box(head, f'<div class="code">{lines}</div>')


def source(name: str, data: bytes) -> str:
    """A file: a CSV as a table, text with numbered lines that can be linked to, or a note."""
    if b"\0" in data[:8000]:
        return f'<p class="dim">Binary, {len(data)} bytes.</p>'
    text = data.decode("utf-8", "replace")
    if name.endswith(".csv"):
        return _csv(text)
    lines = text.removesuffix("\n").split("\n")
    return (
        '<div class="code">'
        + "".join(f'<span id="L{at}"><i>{at}</i>{_line(line)}</span>' for at, line in enumerate(lines, 1))
        + "</div>"
    )


def _csv(text: str) -> str:
    rows = [row for _, row in zip(range(_MAX_CSV_ROWS), csv.reader(io.StringIO(text)), strict=False)]
    cells = ([escape(cell) for cell in row] for row in rows[1:])
    return f'<div class="sheet">{table(rows[0] if rows else [], cells)}</div>'


def _diff_line(line: str) -> str:
    kind = {"+": "add", "-": "del", "@": "hunk"}.get(line[:1], "")
    return f'<span class="{kind}">{_line(line)}</span>'


def _line(text: str) -> str:
    """One line of code; a carriage return is shown, since a browser would break the line there."""
    return escape(text.replace("\r", "\u240d"))
