"""The executed part of a suite job's log: Begin and End records, attempt lines, the final summary.

Format as the runner in radixark/miles prints it (tests/ci/ci_utils.py): Begin, End, TIMEOUT, retry
and summary lines are its stderr, groups and attempt lines its stdout.
"""

from __future__ import annotations

from bot.sandbox.generator.chatter import chatter
from bot.sandbox.generator.dice import Dice
from bot.sandbox.generator.job import JobPlan, limit_s
from bot.sandbox.generator.spec import Event, Measured, TestSpec
from bot.sandbox.generator.writer import RULE, TICKS, LogWriter

WORK_DIR = "/__w/heron/heron"


class FileRecords:
    """The executed part of a suite job: one file after the other, then the summary."""

    def __init__(self, out: LogWriter, plan: JobPlan, dice: Dice) -> None:
        self._out = out
        self._plan = plan
        self._dice = dice
        self._count = len(plan.tests)
        self._batched = plan.suite.batched and plan.partition_id == plan.suite.partitions - 1
        self._held: list[str] = []  # stdout lines of the batch that stderr lines overtake

    def run(self) -> None:
        """Write all of it."""
        started = self._out.tick
        for number, (test, measured) in enumerate(self._plan.tests):
            self._file(number, test, measured)
        verdict = "Success" if self._plan.succeeds else "Fail"
        elapsed = (self._out.tick - started) / TICKS
        self._out.say(f"{verdict}. Time elapsed: {elapsed:.2f}s", "", RULE)
        self._summary()

    def _file(self, number: int, test: TestSpec, measured: Measured) -> None:
        if measured.event is Event.RETRY:
            self._open(number, test, 1)
            status_s = self._child(number, test, measured.first_s, _ASSERTION)
            self._out.say(
                "", f"[CI Retry] {test.path} failed with retriable pattern: AssertionError:.*not greater than"
            )
            self._out.say("[CI Retry] Waiting 60s before retry...", "")
            self._out.wait(60)
            self._close(f"[{number + 1}/{self._count}] {test.path}  FAIL  elapsed={status_s}s exit=1")
            self._flush()
            self._out.say("", f"[CI Retry] Attempt 2/2 for {test.path}", "")
            self._open(number, test, 2)
            status_s = self._child(number, test, measured.elapsed_s, ())
            self._out.say("", f"PASSED on retry (attempt 2): {test.path}", "")
            self._passed(number, test, f"elapsed={status_s}s retry_of=attempt=1")
            return
        self._open(number, test, 1)
        if measured.event is Event.PASS:
            self._passed(number, test, f"elapsed={self._child(number, test, measured.elapsed_s, ())}s")
        elif measured.event is Event.FAIL:
            status_s = self._child(number, test, measured.elapsed_s, _ASSERTION)
            self._out.say("", f"FAILED: {test.path} returned exit code 1", "")
            self._close(f"[{number + 1}/{self._count}] {test.path}  FAIL  elapsed={status_s}s exit=1")
        else:
            self._timeout(number, test)

    def _timeout(self, number: int, test: TestSpec) -> None:
        limit = limit_s(test, self._plan.suite)
        self._child(number, test, limit, (), glued=_BAR)
        self._out.wait(5)
        self._out.say("", f"TIMEOUT: {test.path} after {limit} seconds", "")
        self._close(f"[{number + 1}/{self._count}] {test.path}  TIMEOUT  elapsed={limit}s timeout_after={limit}s")

    def _passed(self, number: int, test: TestSpec, detail: str) -> None:
        gate = f"[CI Gate][nightly] {test.path}: no gate declared; skipping write"
        if self._batched:
            self._out.say(gate)
        self._close(f"[{number + 1}/{self._count}] {test.path}  PASS  {detail}")
        if not self._batched:
            self._out.say(gate)

    def _close(self, attempt_line: str) -> None:
        """The end of a group on stdout; in a batched log stderr may come first."""
        self._held += ["##[endgroup]", attempt_line]
        if not self._batched:
            self._flush()

    def _flush(self) -> None:
        self._out.say(*self._held)
        self._held.clear()

    def _open(self, number: int, test: TestSpec, attempt: int) -> None:
        group = f"##[group]{test.path}  ({number + 1}/{self._count} est={test.est}s attempt={attempt})"
        self._held.append(group)
        if not self._batched:
            self._flush()
        self._out.say(".", ".", f"Begin ({number}/{self._count - 1}):")
        self._flush()
        self._out.say(f"python3 {WORK_DIR}/{test.path}", ".", ".", "")

    def _child(self, number: int, test: TestSpec, elapsed_s: int, last: tuple[str, ...], glued: str = "") -> int:
        """The child's output and its End record; gives the seconds an attempt line shows.

        `glued` is output without a line end: it stands before the runner's next line.
        The End record rounds, the attempt line truncates, so that they differ by one about half
        the time. A killed file runs exactly as long as its limit.
        """
        exact = elapsed_s + self._dice.between(-0.45, 0.45)
        began = self._out.tick
        for said in chatter(test.path, min(40, 12 + elapsed_s // 60), self._dice):
            self._out.wait_until(began + int(said.at * exact * TICKS))
            self._out.say(said.text)
        self._out.say(*last)
        self._out.wait_until(began + int(exact * TICKS))
        self._out.say(f"{glued}.", ".", f"End ({number}/{self._count - 1}):")
        self._out.say(f"filename='{test.path}', elapsed={elapsed_s}, _estimated_time={float(test.est)}")
        self._out.say(".", ".", "")
        return int(exact)

    def _summary(self) -> None:
        ended: dict[str, list[str]] = {"passed": [], "failed": [], "retried": []}
        for test, measured in self._plan.tests:
            if measured.event in (Event.PASS, Event.RETRY):
                ended["passed"].append(f"  {test.path}")
            if measured.event is Event.RETRY:
                ended["retried"].append(f"  {test.path} (2 attempts, passed)")
            if measured.event is Event.FAIL:
                ended["failed"].append(f"  {test.path} (exit code 1)")
            if measured.event is Event.TIMEOUT:
                ended["failed"].append(f"  {test.path} (timeout after {limit_s(test, self._plan.suite)}s)")
        self._out.say(f"Test Summary: {len(ended['passed'])}/{self._count} passed")
        if ended["retried"]:
            self._out.say(f"Retries: {len(ended['retried'])} test(s) were retried")
        self._flush()
        self._out.say(RULE)
        if ended["passed"]:
            self._out.say("PASSED:", *ended["passed"])
        if ended["failed"]:
            self._out.say("", "FAILED:", *ended["failed"])
        if ended["retried"]:
            self._out.say("", "RETRIED:", *ended["retried"])
        self._out.say(RULE, "")


_BAR = "waiting for peers:  63%|██████    | 63/100 [09:41<05:41]"
_ASSERTION = (
    "Traceback (most recent call last):",
    '  File "/__w/heron/heron/heron/check.py", line 61, in compare',
    "AssertionError: score 0.412 not greater than threshold 0.550",
)
