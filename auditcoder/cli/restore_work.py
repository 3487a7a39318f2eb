"""The work of `auditcoder restore`."""

from __future__ import annotations

import json as json_module
from pathlib import Path

from rich.text import Text

from auditcoder.audit.restoring import Intact, Restored, intact, restore, write_state
from auditcoder.cli.exits import OK
from auditcoder.cli.show_work import folder_of
from auditcoder.cli.showing.event import event_data, event_text
from auditcoder.cli.showing.run import verdict
from auditcoder.cli.terminal import terminal
from auditcoder.cli.text import clean

SCHEMA = 1
"""Version of the form of `--json`."""


def restore_run(named: Path, event: int, out: Path, *, force: bool, json: bool) -> int:
    """Write the state of a run right after an event, say which event that is, and return the exit code.

    Raises:
        LedgerError: there is no ledger, it is corrupt before the event, or the files cannot be written.
        ConfigError: there is no such run or event, or the folder may not be written to.
    """
    run = folder_of(named)
    ledger, damage = intact(run, event)
    state = restore(ledger, event)
    write_state(state, run, out, force=force)
    if json:
        told_too = {"of": len(ledger.entries), "damage": damage, "out": str(out), "files": sorted(state.files)}
        data = {"schema": SCHEMA, **event_data(state.line), **told_too}
        print(json_module.dumps(data, indent=2, ensure_ascii=True))
        return OK
    console = terminal()
    for line in told(state, Intact(ledger, damage), out):
        console.print(Text(clean(line)), soft_wrap=True)
    return OK


def told(state: Restored, source: Intact, out: Path) -> list[str]:
    """Return what is said: which event, what the program could do then, what was written."""
    line, last = state.line, len(source.ledger.entries) - 1
    note = f"note      {source.damage}\n          events 0 to {last} hold, and this state is made from them alone"
    return [
        *([note] if source.damage else []),
        f"event     {line.seq} (the last {'that holds ' if source.damage else ''}is {last}), {line.at}",
        f"          {line.event.kind}  {event_text(line.event)}".rstrip(),
        f"state     {verdict(state.record)}",
        f"written   {', '.join(sorted(state.files))} in {out}",
        f"look at it with: auditcoder show {out}",
    ]
