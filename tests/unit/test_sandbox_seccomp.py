"""The system call filter, run on a small interpreter of its byte code, for both architectures."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from auditcoder.sandbox.worker import seccomp, syscalls

ALLOW, KILL, EPERM, ENOSYS = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050026
OWN = seccomp._OWN_PID
MACHINES = tuple(syscalls.TABLES)


def _decide(code: seccomp.Code, number: int, arch: int, arguments: tuple[int, ...]) -> int:
    data = {0: number, 4: arch}
    for index, value in enumerate((*arguments, *[0] * 6)[:6]):
        data[16 + 8 * index], data[20 + 8 * index] = value & 0xFFFFFFFF, value >> 32
    accumulator, position = 0, 0
    for _ in range(len(code)):
        operation, yes, no, operand = code[position]
        position += 1
        if operation == 0x20:
            accumulator = data[operand]
        elif operation == 0x54:
            accumulator &= operand
        elif operation == 0x05:
            position += operand
        elif operation == 0x06:
            return operand
        else:
            holds = {0x15: accumulator == operand, 0x35: accumulator >= operand, 0x45: bool(accumulator & operand)}
            position += yes if holds[operation] else no
    raise AssertionError("the program does not end")


class Case(NamedTuple):
    name: str
    arguments: tuple[int, ...]
    answer: int


CASES = [
    Case("execve", (), EPERM),
    Case("unshare", (), EPERM),
    Case("socket", (), EPERM),
    Case("clone3", (), ENOSYS),
    Case("clone", (0x11,), EPERM),
    Case("clone", (0x3D0F00,), ALLOW),
    Case("prlimit64", (0,), ALLOW),
    Case("prlimit64", (1,), EPERM),
    Case("socketpair", (1, 1), ALLOW),
    Case("socketpair", (1, 0x80801), ALLOW),
    Case("socketpair", (1, 2), EPERM),
    Case("socketpair", (1, 0x80802), EPERM),
    Case("sendto", (3, 0x7000, 1, 0, 0), ALLOW),
    Case("sendto", (3, 0x7000, 1, 0, 0x1000), EPERM),
    Case("sendto", (3, 0x7000, 1, 0, 0x100000000), EPERM),
    Case("ioctl", (0, 0x5412), EPERM),
    Case("ioctl", (0, 0x541C), EPERM),
    Case("ioctl", (0, 0x5401), ALLOW),
]


@pytest.mark.parametrize("private", [True, False], ids=["private", "shared"])
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.name}{case.arguments}")
def test_decision(case: Case, machine: str, private: bool) -> None:
    code = seccomp.program(machine, private=private)
    number = syscalls.TABLES[machine][case.name]
    assert _decide(code, number, syscalls.AUDIT_ARCH[machine], case.arguments) == case.answer


@pytest.mark.parametrize("private", [True, False], ids=["private", "shared"])
@pytest.mark.parametrize("machine", MACHINES)
def test_every_number_is_decided_by_the_table(machine: str, private: bool) -> None:
    """Every number below the table's end that is not listed is allowed, every listed one is not simply allowed."""
    code, table, arch = (
        seccomp.program(machine, private=private),
        syscalls.TABLES[machine],
        syscalls.AUDIT_ARCH[machine],
    )
    excused = syscalls.OWN_PROCESS_ONLY | syscalls.HOST_METADATA if private else frozenset[str]()
    refused = {number for name, number in table.items() if name not in excused}
    hostile = ((1, 2, 0, 0, 1), (1, 0x5412, 0, 0, 1))
    for number in range(syscalls.LAST_KNOWN + 1):
        answers = {_decide(code, number, arch, arguments) for arguments in hostile}
        assert (answers != {ALLOW}) == (number in refused), number
    for number in (syscalls.LAST_KNOWN + 1, 1000, 0x3FFFFFFF):
        assert _decide(code, number, arch, ()) == ENOSYS


@pytest.mark.parametrize("machine", MACHINES)
def test_other_processes_are_out_of_reach_without_a_process_namespace(machine: str) -> None:
    arch, kill = syscalls.AUDIT_ARCH[machine], syscalls.TABLES[machine]["kill"]
    shared, private = seccomp.program(machine, private=False), seccomp.program(machine, private=True)
    answers = [_decide(shared, kill, arch, (pid, 9)) for pid in (OWN, 1, 0xFFFFFFFF, 0)]
    assert answers == [ALLOW, EPERM, EPERM, EPERM]
    assert _decide(private, kill, arch, (1, 9)) == ALLOW


@pytest.mark.parametrize("machine", MACHINES)
def test_other_abis_are_killed(machine: str) -> None:
    code = seccomp.program(machine, private=True)
    assert _decide(code, 1, 0x40000003, ()) == KILL
    if machine == "x86_64":
        assert _decide(code, 0x40000000 | 1, syscalls.AUDIT_ARCH[machine], ()) == KILL


def test_an_unknown_architecture_has_no_filter() -> None:
    with pytest.raises(KeyError):
        seccomp.program("riscv64", private=True)


@pytest.mark.parametrize("machine", MACHINES)
def test_the_tree_is_flat_enough_to_install_quickly(machine: str) -> None:
    """The kernel runs the program once per known number: what counts is the length of the longest path."""
    code = seccomp.program(machine, private=True)
    assert len(code) < 400

    def longest(position: int) -> int:
        operation, yes, no, operand = code[position]
        if operation == 0x06:
            return 1
        if operation == 0x05:
            return 1 + longest(position + 1 + operand)
        if operation in (0x15, 0x35, 0x45):
            return 1 + max(longest(position + 1 + yes), longest(position + 1 + no))
        return 1 + longest(position + 1)

    assert longest(0) <= 24
