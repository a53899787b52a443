"""The example alerts: every metric, label and value they name exists, and each says what to do."""

from __future__ import annotations

import re

import pytest

from bot.metrics.counts import NONE
from bot.tasks.outcomes import OutcomeName
from bot.webhook.ports import FAILED, TASK
from bot.webhook.ready import NotReady
from bot.webhook.routing import DropReason
from bot.webhook.verify import DeliveryRefusal
from tests.unit.deploy.deployed import DEPLOY, documents
from tests.unit.metrics.registry import told

(FILE,) = documents(DEPLOY / "prometheus" / "alerts.yaml")
RULES = [rule for group in FILE["groups"] for rule in group["rules"]]
EXPRESSIONS = [pytest.param(rule["expr"], id=rule["alert"]) for rule in RULES]
VALUES = {
    "answer": {TASK, FAILED, *DropReason, *DeliveryRefusal},
    "outcome": set(OutcomeName),
    "reason": set(NotReady),
    "status": {"500", "503", NONE},
}
_SELECTED = re.compile(r"(recalibrate_[a-z_]+)(?:\{([^}]*)\})?")
_MATCHER = re.compile(r'([a-z_]+)(=~|!=|=)"([^"]*)"')


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_every_metric_and_label_it_names_exists(expression: str) -> None:
    known = told()
    selected = _SELECTED.findall(expression)
    assert selected
    assert [name for name, _ in selected if name not in known] == []
    for name, matchers in selected:
        assert {label for label, _, _ in _MATCHER.findall(matchers)} <= set(known[name].labels)
    grouped = re.findall(r"by \(([a-z_, ]+)\)", expression)
    labels = {label for name, _ in selected for label in known[name].labels}
    assert {one.strip() for group in grouped for one in group.split(",")} <= labels


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_every_value_it_asks_for_can_occur(expression: str) -> None:
    for label, _, value in _MATCHER.findall(expression):
        for one in value.split("|"):
            assert any(re.fullmatch(one, str(known)) for known in VALUES[label]), f"{label}={one}"


def test_each_alert_has_a_name_of_its_own_a_severity_and_a_remedy() -> None:
    assert len({rule["alert"] for rule in RULES}) == len(RULES) > 5
    for rule in RULES:
        assert rule["labels"]["severity"] in ("page", "ticket")
        assert set(rule["annotations"]) == {"summary", "remedy"}


def test_what_an_alert_s_text_refers_to_is_a_label_of_its_result() -> None:
    for rule in RULES:
        used = set(re.findall(r"\$labels\.([a-z_]+)", str(rule["annotations"])))
        grouped = {one for group in re.findall(r"by \(([a-z_, ]+)\)", rule["expr"]) for one in group.split(", ")}
        assert used <= grouped
