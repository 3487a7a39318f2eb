"""The executed blocks of a trace as the judge reads them."""

from __future__ import annotations

from collections.abc import Iterable

from auditcoder.core.blocks import BlockMap
from auditcoder.programs.render import safe
from auditcoder.records.trace import Trace

BLOCKS_SHOWN = 12_000
"""Characters of all blocks at most, those in the middle left out: the present round stays in every prompt."""
SOURCE_SHOWN = 2000
"""Characters of a block's source at most."""
VARIABLES_SHOWN = 20
"""Variables of one state; the rest are counted."""
_LONG = 300


def blocks_text(trace: Trace, blocks: BlockMap, value_chars: int) -> str:
    """Return every kept block with its source and variables, under the number of its execution.

    Where blocks are left out it says how many (section 7.7). A long source is shown once, so a recursion at level
    function does not fill the prompt with its text.

    Args:
        trace: A usable trace.
        blocks: The map that it was made with.
        value_chars: Length of a line of variables at most: of a longer one both ends are shown.
    """
    of = {block.id: block for block in blocks.blocks}
    parts: list[str] = []
    due = 0
    first: dict[int, int] = {}
    for ran in trace.blocks:
        if ran.index > due:
            parts.append(_left_out(ran.index - due))
        due = ran.index + 1
        source = safe(of[ran.block].source, SOURCE_SHOWN) if ran.block in of else ""
        if len(source) > _LONG and first.setdefault(ran.block, ran.index) != ran.index:
            source = f"(its lines are those of block {first[ran.block]})"
        parts.append(
            f"Block {ran.index} in {safe(ran.function, 100)}\n"
            f"before:\n{_variables(ran.before, value_chars)}\n{source}\nafter:\n{_variables(ran.after, value_chars)}"
        )
    if trace.block_count > due:
        parts.append(_left_out(trace.block_count - due))
    return safe("\n\n".join(parts), BLOCKS_SHOWN)


def _left_out(count: int) -> str:
    return f"({count} block{'s' if count > 1 else ''} left out)"


def _variables(values: Iterable[tuple[str, str]], most: int) -> str:
    lines = [f"  {_ends(safe(f'{name} = {value}', 10 * most), most)}" for name, value in values]
    more = [f"  and {len(lines) - VARIABLES_SHOWN} more"] if len(lines) > VARIABLES_SHOWN else []
    return "\n".join([*lines[:VARIABLES_SHOWN], *more]) or "  none"


def _ends(line: str, most: int) -> str:
    half = most // 2
    return line if len(line) <= most else f"{line[:half]} ... {line[-half:]}"
