"""The three evidence files of one evaluation, by name. Where they are put is the caller's business."""

from __future__ import annotations

from collections.abc import Mapping

from bot.domain import Evaluation
from bot.publish.evidence_csv import evidence_csv
from bot.publish.lines import CitedText, cited_logs, lines_txt
from bot.publish.manifest import manifest_json


def evidence_files(evaluation: Evaluation, texts: Mapping[str, Mapping[int, CitedText]]) -> Mapping[str, bytes]:
    """`evidence.csv`, `lines.txt` and `manifest.json`. `texts` is what `log_lines.cited_texts` read.

    The same arguments give the same bytes.
    """
    files = {
        "evidence.csv": evidence_csv(evaluation),
        "lines.txt": lines_txt(cited_logs(evaluation), texts),
    }
    return {**files, "manifest.json": manifest_json(evaluation, files)}
