"""The work of `auditcoder restore`."""

from __future__ import annotations

import json as json_module
from pathlib import Path

from rich.text import Text

from auditcoder.audit.restoring import Restored, restore, write_state
from auditcoder.cli.exits import OK
from auditcoder.cli.show_work import folder_of
from auditcoder.cli.showing.event import event_data, event_text
from auditcoder.cli.showing.run import verdict
from auditcoder.cli.terminal import terminal
from auditcoder.cli.text import clean
from auditcoder.ledger.outputs import load_ledger


def restore_run(named: Path, event: int, out: Path, *, force: bool, json: bool) -> int:
    """Write the state of a run right after an event, say which event that is, and return the exit code.

    Raises:
        LedgerError: there is no ledger, it is corrupt, or the files cannot be written.
        ConfigError: there is no such run or event, or the folder may not be written to.
    """
    run = folder_of(named)
    ledger = load_ledger(run)
    state = restore(ledger, event)
    write_state(state, run, out, force=force)
    if json:
        data = {**event_data(state.line), "of": len(ledger.entries), "out": str(out), "files": sorted(state.files)}
        print(json_module.dumps(data, indent=2, ensure_ascii=True))
        return OK
    console = terminal()
    for line in told(state, len(ledger.entries), out):
        console.print(Text(clean(line)), soft_wrap=True)
    return OK


def told(state: Restored, events: int, out: Path) -> list[str]:
    """Return what is said: which event, what the program could do then, what was written."""
    line = state.line
    return [
        f"event     {line.seq} (the last is {events - 1}), {line.at}",
        f"          {line.event.kind}  {event_text(line.event)}".rstrip(),
        f"state     {verdict(state.record)}",
        f"written   {', '.join(sorted(state.files))} in {out}",
        f"look at it with: auditcoder show {out}",
    ]
