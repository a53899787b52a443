"""`recalibrate backtest`: replays measured durations under policies and prints what each would have caused.

Reads a CSV file or the store; writes nothing but the table and, where asked, a picture. What is
computed is `bot.calibration.backtest`'s part.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from bot.calibration.backtest import backtest
from bot.calibration.backtest.contenders import Contender, contenders
from bot.calibration.backtest.plot import check, draw
from bot.calibration.backtest.replay import ReplaySettings
from bot.calibration.backtest.series import Series, read_series
from bot.calibration.backtest.table import as_json, as_markdown
from bot.errors import UserError
from bot.repo_config import DEFAULT, RepoConfig

PUBLISHED = ("default", "strict", "strict-1", "p90-bucket", "p90-raw", "median-110", "mean-60s")
MOST_CHARACTERS = 1 << 30  # of an unpacked file: more is no series of test durations
_REFUSED_NAMED = 5

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class BacktestOptions:
    """What was asked for. `durations` None: the store's history. `policies` empty: those of `PUBLISHED`."""

    durations: Path | None
    policies: tuple[str, ...] = ()
    settings: ReplaySettings = field(default_factory=ReplaySettings)
    json: bool = False
    plot: Path | None = None
    repository: str = ""  # owner/name, for the store's history


@dataclass(frozen=True, slots=True)
class Measured:
    """The series to replay, and the configuration they are replayed with."""

    series: tuple[Series, ...]
    config: RepoConfig = DEFAULT


def run_backtest(options: BacktestOptions, history: Callable[[str], Measured], say: Say, tell: Say) -> None:
    """Print the table with `say`; what a person should know beside it with `tell`.

    `history` gives a repository's own series, for `durations` None.

    Raises:
        UserError: the file cannot be read, a policy is unknown, or nothing is long enough to be replayed.
    """
    if options.plot is not None:
        check(options.plot)
    measured = history(options.repository) if options.durations is None else Measured(_read(options.durations, tell))
    chosen = _chosen(contenders(measured.config.estimate), options.policies)
    scores, short = backtest(measured.series, chosen, options.settings)
    for one in short:
        tell(f"suite {one.suite}: {len(one.dates)} dates, none left after a warm-up of {options.settings.warmup}")
    if not scores:
        raise UserError("no suite has a date after the warm-up; give a longer series or a shorter --warmup")
    if options.plot is not None:
        draw(scores, options.plot)
    say((as_json if options.json else as_markdown)(scores).removesuffix("\n"))


def _chosen(table: Mapping[str, Contender], names: Sequence[str]) -> tuple[Contender, ...]:
    wanted = dict.fromkeys(names or PUBLISHED)
    unknown = [name for name in wanted if name not in table]
    if unknown:
        raise UserError(f"unknown policy {unknown[0]!r}: choose from {', '.join(table)}")
    return tuple(table[name] for name in wanted)


def _read(path: Path, tell: Say) -> tuple[Series, ...]:
    try:
        with _open(path) as lines:
            series, refused = read_series(_bounded(lines))
    except (OSError, EOFError, zlib.error) as error:
        raise UserError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: not UTF-8") from None
    except UserError as error:
        raise UserError(f"{path}: {error}") from None
    if refused:
        named = ", ".join(f"line {x.line} ({x.reason.value})" for x in refused[:_REFUSED_NAMED])
        tell(f"{path}: {len(refused)} lines were not read: {named}{', …' if len(refused) > _REFUSED_NAMED else ''}")
    if not series:
        raise UserError(f"{path}: no line could be read")
    return series


def _open(path: Path) -> TextIO:
    """The text of a file, unpacked where it begins as gzip does."""
    with path.open("rb") as raw:
        packed = raw.read(2) == b"\x1f\x8b"
    if packed:
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")


def _bounded(lines: TextIO) -> Iterator[str]:
    """The lines, as long as a small packed file does not become a large one."""
    seen = 0
    for line in iter(lambda: lines.readline(65_536), ""):
        seen += len(line)
        if seen > MOST_CHARACTERS:
            raise UserError(f"larger than {MOST_CHARACTERS} characters unpacked")
        yield line
