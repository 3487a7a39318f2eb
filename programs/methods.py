"""The registry of rival methods: a name in the configuration is a program."""

from __future__ import annotations

from collections.abc import Mapping

import dspy

from auditcoder.errors import ConfigError
from auditcoder.programs.baselines.agentcoder import AgentCoder
from auditcoder.programs.baselines.base import RivalMethod, options_of
from auditcoder.programs.baselines.bpd import Bpd
from auditcoder.programs.baselines.codecor import CodeCoR
from auditcoder.programs.baselines.codesim import CodeSim
from auditcoder.programs.baselines.direct import Direct
from auditcoder.programs.baselines.fresh_start import FreshStart
from auditcoder.programs.baselines.ldb import Ldb
from auditcoder.programs.baselines.mapcoder import MapCoder
from auditcoder.programs.baselines.mgdebugger import MGDebugger
from auditcoder.programs.baselines.pycapsule import PyCapsule
from auditcoder.records.config import Method, Role, RunConfig

METHODS: Mapping[Method, type[RivalMethod]] = {
    "direct": Direct,
    "agentcoder": AgentCoder,
    "mapcoder": MapCoder,
    "codesim": CodeSim,
    "codecor": CodeCoR,
    "ldb": Ldb,
    "mgdebugger": MGDebugger,
    "pycapsule": PyCapsule,
    "bpd": Bpd,
    "fresh-start": FreshStart,
}


def check_method(config: RunConfig) -> None:
    """Make sure that the options of a configuration are those of its method.

    Raises:
        ConfigError: an option is unknown, or its value is not allowed.
    """
    if config.method != "auditcoder":
        options_of(METHODS[config.method], config)
    elif config.options:
        name = config.options[0][0]
        raise ConfigError(
            f"options.{name}: AuditCoder has no options of this kind",
            hint="Options belong to a rival method: give --method too; auditcoder methods lists them.",
            field=f"options.{name}",
        )


def build_method(config: RunConfig, lms: Mapping[Role, dspy.LM]) -> RivalMethod:
    """Return the rival method that a configuration names, with every agent's backbone set.

    Raises:
        ConfigError: an option is unknown, or its value is not allowed.
    """
    method = METHODS[config.method]
    program = method(options_of(method, config))
    program.set_backbones(lms)
    return program
