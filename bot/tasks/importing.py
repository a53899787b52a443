"""Reads what the measured tests import and launch at the base, in steps of whole batches; never one file at a time.

Which files count, what is read next and what each test reaches is `bot.edit.imports`' part.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence

from bot.domain import TestPath
from bot.edit.imports.reach import Counting, Survey
from bot.edit.imports.references import References, read_references
from bot.edit.ports import TreeEntry
from bot.tasks.reading import CHUNK, Reader, contents_of

MOST_STEPS = 30  # from a test on; each may cost GitHub a request for a hundred files that are not remembered


async def references_of(
    reader: Reader, files: Mapping[TestPath, TreeEntry], counting: Counting, tests: Iterable[TestPath]
) -> Mapping[TestPath, References]:
    """What the tests say, and every Python file that they reach and that counts, at the base's blobs.

    Raises:
        UserError: a blob is not in the repository.
        RetryableError: the source is busy.
    """
    survey = Survey(files, counting, tests)
    for _ in range(MOST_STEPS):
        wanted = survey.wanted()
        if not wanted:
            break
        contents = await contents_of(reader, set(wanted.values()))
        read = await _read(reader, [(path, contents[blob]) for path, blob in wanted.items()])
        survey.take(read, sum(map(len, contents.values())))
    survey.stop()
    return survey.references


async def _read(reader: Reader, items: Sequence[tuple[TestPath, bytes]]) -> list[References]:
    loop = asyncio.get_running_loop()
    parts = [items[at : at + CHUNK] for at in range(0, len(items), CHUNK)]
    jobs = [loop.run_in_executor(reader.executor, read_part, part) for part in parts]
    return [one for part in await asyncio.gather(*jobs) for one in part]


def read_part(items: Sequence[tuple[TestPath, bytes]]) -> list[References]:
    """What some files say, in order: one piece of work for a process."""
    return [read_references(path, raw) for path, raw in items]
