"""Files are parsed in several threads at once, whatever the garbage collector does meanwhile."""

from __future__ import annotations

import ast
import gc
import threading

from bot.edit.registrations.call_sites import NoTree, parse_text

LONG = "x = [" + ", ".join(f"f({i}, a=[{i}, ({i}, {i})])" for i in range(2000)) + "]\n"
INTO_THE_TREE = 5  # collections, by which time the tree is being built
PATIENCE_S = 0.2


def test_a_thread_that_is_left_amid_a_tree_is_not_disturbed_by_another() -> None:
    """A collection in the middle of one thread's tree lets another one parse, or try to, before it goes on."""
    other = threading.Thread(target=parse_text, args=("y = [1]\n",))
    seen = 0

    def collected(phase: str, _facts: object) -> None:
        nonlocal seen
        seen += phase == "start" and threading.current_thread() is threading.main_thread()
        if seen == INTO_THE_TREE and other.ident is None:
            other.start()
            other.join(PATIENCE_S)

    def deep(frames: int) -> ast.Module | NoTree:
        return deep(frames - 1) if frames else parse_text(LONG)

    gc.callbacks.append(collected)
    try:
        tree = deep(20)
    finally:
        gc.callbacks.remove(collected)
    assert seen >= INTO_THE_TREE
    other.join()
    assert isinstance(tree, ast.Module)
