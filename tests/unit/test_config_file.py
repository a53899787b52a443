"""Promises of the configuration file: four states, and the line of whatever is wrong."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.config_file import MAX_CONFIG_BYTES, Absent, Invalid, Valid, line_of, parse
from bot.domain import Suite
from bot.repo_config import RepoConfig

COMPLETE = b"""\
version: 1
mode: propose
nightly:
  workflows: [.github/workflows/pr-test.yml]
  events: [schedule]
  branches: [main]
registrations:
  paths: ["**/test_*.py"]
  label_registry: tests/ci/labels.py:KNOWN_LABELS
estimate:
  policy: default
  estimator: {name: max, headroom: 1.25}
  window: {nights: 14, days: 21}
  nights: {raise: 1, lower: 2}
timeout: {floor_s: 1800, factor: 1.25, suites: {"*-mi350": {floor_s: 2400}}}
labels:
  rules:
    - paths: ["tests/e2e/**/*_lora_ci.py"]
      require: [megatron, model-scripts, lora]
  siblings: off
pull_request:
  {schedule: nightly, title: "ci: recalibrate est_time", labels: [], reviewers: [], draft: false, max_edits: 40}
commands: {allow: [write, maintain, admin]}
checks: {nightly: true, registrations: true, fail_on: never}
"""


def valid(raw: bytes) -> RepoConfig:
    state = parse(raw)
    assert isinstance(state, Valid), state
    return state.config


def test_no_file_means_the_defaults_and_so_does_a_file_with_a_version_only() -> None:
    state = parse(None)
    assert isinstance(state, Absent)
    assert state.config == valid(b"version: 1\n")


def test_every_documented_key_is_read() -> None:
    config = valid(COMPLETE)
    assert config.estimate.nights.raise_ == 1
    assert config.labels.siblings == "off"
    assert config.labels.rules[0].require == ("megatron", "model-scripts", "lora")
    assert config.timeout.rule(Suite("stage-c-4-gpu-mi350")).floor_s == 2400
    assert config.timeout.rule(Suite("stage-c-4-gpu-h200")).effective(2400) == 3000


def test_a_bom_and_crlf_are_accepted() -> None:
    assert valid(b"\xef\xbb\xbf" + COMPLETE.replace(b"\n", b"\r\n")) == valid(COMPLETE)


@pytest.mark.parametrize(
    ("raw", "line", "key", "words"),
    [
        (b"version: 1\nnightly:\n  workflow: [a]\n", 3, "nightly.workflow", "unknown key"),
        (b"version: 1\ntimeout:\n  floor_s: 0\n", 3, "timeout.floor_s", "greater than or equal"),
        (b"version: 1\nestimate:\n  nights:\n    lower: two\n", 4, "estimate.nights.lower", "integer"),
        (b"version: 1\nlabels:\n  rules:\n  - paths: [a]\n", 4, "labels.rules.0.require", "missing"),
        (b"version: 1\nlabels:\n  rules:\n  - paths: [a]\n    require: []\n", 5, "labels.rules.0.require", "List"),
        (b"mode: propose\n", 1, "version", "missing"),
        (b"version: 2\n", 1, "version", "1"),
        (b"version: 1\nmode: propose\nmode: observe\n", 3, "mode", "twice"),
        (b"version: 1\npull_request:\n  labels: [run-ci-all]\n", 2, "pull_request", "allow_ci_labels"),
        (b"version: 1\nmode: [\n", 3, "", "YAML"),
        (b"version: 1\n# caf\xe9\n", 2, "", "UTF-8"),
        (b"a: &x [1]\nb: *x\n", 2, "", "aliases"),
        (b"- version: 1\n", 1, "", "mapping"),
        (b"", 1, "version", "empty"),
        (b"# only a comment\n", 1, "version", "empty"),
        (b"!!python/object/apply:os.system [id]\n", 1, "", "not YAML"),
        (b"version: 1\nlabels: {rules: [{paths: [a], require: [b], x: 1}]}\n", 2, "labels.rules.0.x", "unknown key"),
    ],
)
def test_a_problem_is_named_with_line_and_key(raw: bytes, line: int, key: str, words: str) -> None:
    state = parse(raw)
    assert isinstance(state, Invalid)
    problem = state.problems[0]
    assert (problem.line, problem.key) == (line, key)
    assert words in problem.message


def test_all_problems_are_told_at_once() -> None:
    state = parse(b"version: 1\nmood: x\ntimeout: {factor: 0}\n")
    assert isinstance(state, Invalid)
    assert {problem.line for problem in state.problems} == {2, 3}


def test_a_key_that_is_written_has_a_line() -> None:
    raw = b"version: 1\nestimate:\n  nights: {raise: 2}\n  estimator:\n    name: max\n"
    assert line_of(raw, "estimate", "estimator", "name") == 5
    assert line_of(raw, "estimate", "window", "nights") == 2  # the deepest part that is there
    assert line_of(raw, "timeout") == 1


def test_ci_labels_need_an_opt_in() -> None:
    raw = b"version: 1\npull_request: {labels: [nightly, ci], allow_ci_labels: true}\n"
    assert valid(raw).pull_request.labels == ("nightly", "ci")
    assert valid(b"version: 1\npull_request: {labels: [ci]}\n").pull_request.labels == ("ci",)


def test_a_huge_or_deep_file_is_refused() -> None:
    assert isinstance(parse(b"a" * (MAX_CONFIG_BYTES + 1)), Invalid)
    assert isinstance(parse(b"version: " + b"[" * 5000), Invalid)


@settings(deadline=None, derandomize=True, max_examples=200)
@given(st.binary(max_size=120) | st.text(alphabet="ab:-[]{}&*!|>\n '\"#?,0", max_size=60).map(str.encode))
def test_no_bytes_raise(raw: bytes) -> None:
    state = parse(raw)
    if isinstance(state, Invalid):
        assert all(problem.line >= 1 for problem in state.problems)
