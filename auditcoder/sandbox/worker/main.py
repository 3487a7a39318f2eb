"""Start of a worker process: run by path in a clean interpreter, with the number of its control socket.

The sibling modules are imported under their usual names, through stand-in parent packages: the real parents would
pull in the library, which must not be in a process that runs untrusted code.
"""

from __future__ import annotations

import os
import sys
import types

_PACKAGE = "auditcoder.sandbox.worker"


def _stand_in_packages() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    for name in ("auditcoder", "auditcoder.sandbox", _PACKAGE):
        package = types.ModuleType(name)
        package.__path__ = [here] if name == _PACKAGE else []
        sys.modules[name] = package


def main() -> None:
    """Serve requests until the control socket is closed."""
    _stand_in_packages()
    from auditcoder.sandbox.worker import zygote

    for name in [name for name in sys.modules if name.split(".")[0] == "auditcoder"]:
        del sys.modules[name]
    zygote.start(int(sys.argv[1]))


if __name__ == "__main__":
    main()
