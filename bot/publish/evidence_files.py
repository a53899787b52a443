"""The evidence files of one evaluation, by name. Where they are put is the caller's business."""

from __future__ import annotations

from collections.abc import Mapping

from bot.domain import Evaluation
from bot.publish.evidence_csv import csv_records
from bot.publish.lines import TITLE, CitedText, cited_logs, line_records
from bot.publish.manifest import manifest_json
from bot.publish.parts import PART_BYTES, Line, parts

EVIDENCE_FILES = ("evidence.csv", "manifest.json", "lines.txt")


def evidence_files(
    evaluation: Evaluation, texts: Mapping[str, Mapping[int, CitedText]], part_bytes: int = PART_BYTES
) -> Mapping[str, bytes]:
    """`evidence.csv`, `lines.txt` and `manifest.json`. `texts` is what `log_lines.cited_texts` read.

    A table or lines of more than `part_bytes` stand in several files (`bot.publish.parts`), each listed in
    the manifest. The same arguments give the same bytes.

    Raises:
        UserError: there is more than is ever published; the message names the setting that makes it less.
    """
    head, *rows = csv_records(evaluation)
    cited = line_records(cited_logs(evaluation), texts)
    files = {
        **parts("evidence.csv", head, (tuple(map(Line, rows)),), part_bytes),
        **parts("lines.txt", TITLE, cited, part_bytes),
    }
    return {**files, "manifest.json": manifest_json(evaluation, files)}
