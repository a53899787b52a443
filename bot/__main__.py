"""The command line: parses arguments, calls one command, turns failures into exit statuses.

Exit status 0: it ran, whether or not anything changes. 2: something the user can fix, told in one
line. 1: our fault. Which commands there are is `bot.cli.arguments`' part.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from bot.cli.arguments import parser
from bot.errors import RetryableError, UserError
from bot.publish.visible import visible


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and give its exit status."""
    return exit_status(lambda: _run(arguments))


def exit_status(work: Callable[[], int]) -> int:
    """The status of some work; a failure's own status after it was told in one line on standard error."""
    try:
        return work()
    except UserError as error:
        return _failed(str(error), 2)
    except RetryableError as error:
        return _failed(f"{error}; try again later", 2)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return 0
    except Exception as error:  # the one place where a bug becomes a message
        return _failed(f"our fault: {type(error).__name__}: {error}; please report it", 1)


def _failed(message: str, status: int) -> int:
    """Whatever a foreign name in the message holds, it is one line and moves no cursor."""
    print(f"recalibrate: {visible(message)}", file=sys.stderr)
    return status


def _run(arguments: Sequence[str] | None) -> int:
    options = parser().parse_args(arguments)
    status: int = options.command(options)
    return status


if __name__ == "__main__":
    sys.exit(main())
