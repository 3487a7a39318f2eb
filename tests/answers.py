"""A scripted model for any method: it answers by the form that a request asks for, not by who asks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pydantic_core

REPLY = "Answer in these parts, each under its heading:\n"
Told = Any | Callable[[str], Any]


@dataclass
class Forms:
    """Answers under a schema with the smallest value that it allows, in parts under their headings, else with code.

    The prompt decides the form, so every agent of every method gets an answer that it can use.
    """

    code: str | Callable[[str], str]
    """The program of every answer that holds one."""
    choice: int = 0
    """Which of several words is chosen: 0 the first, -1 the last; the same end of a range of numbers."""
    told: Mapping[str, Told] = field(default_factory=dict)
    """By name of a field: its value, or a function of the prompt that gives it."""
    made: int = 0

    def answer(self, prompt: str, schema: Mapping[str, Any] | None) -> str:
        """Return the answer to a request."""
        code = self.code if isinstance(self.code, str) else self.code(prompt)
        fenced = f"```python\n{code}\n```"
        if schema is not None:
            return pydantic_core.to_json(self._value(schema, schema, prompt)).decode()
        if REPLY not in prompt:
            return fenced
        form = prompt.partition(REPLY)[2].partition("```")[0]
        parts = re.findall(r"^### (\w+)(?:\n\((.*)\))?$", form, re.M)
        texts = [f"### {name}\n{self._text(name, asked, prompt)}" for name, asked in parts[:-1]]
        return "\n".join([*texts, f"### {parts[-1][0]}\n{fenced}"])

    def _text(self, name: str, asked: str, prompt: str) -> str:
        if name in self.told:
            return str(self._own(name, prompt))
        words = re.fullmatch(r"(\w+(?: or \w+)+)(?:: .*)?", asked)
        return words[1].split(" or ")[self.choice] if words else "Said briefly."

    def _own(self, name: str, prompt: str) -> Any:
        value = self.told[name]
        return value(prompt) if callable(value) else value

    def _value(self, schema: Mapping[str, Any], whole: Mapping[str, Any], prompt: str) -> Any:
        if "$ref" in schema:
            return self._value(whole["$defs"][schema["$ref"].rpartition("/")[2]], whole, prompt)
        if "anyOf" in schema:
            return self._value(schema["anyOf"][0], whole, prompt)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return schema["enum"][self.choice]
        match schema["type"]:
            case "object":
                return {
                    name: self._own(name, prompt) if name in self.told else self._value(part, whole, prompt)
                    for name, part in schema.get("properties", {}).items()
                }
            case "array":
                count = max(1, schema.get("minItems", 1))
                return [self._value(schema["items"], whole, prompt) for _ in range(count)]
            case "string":
                return self._string(schema)
            case "boolean":
                return self.choice == 0
            case "integer" | "number":
                low = schema.get("minimum", 0)
                return low if self.choice == 0 else schema.get("maximum", low)
        raise AssertionError(f"a form that is not known: {schema}")

    def _string(self, schema: Mapping[str, Any]) -> str:
        self.made += 1
        text = f"item_{self.made}" if "pattern" in schema else f"Item {self.made}, said briefly."
        text = text[: schema.get("maxLength", len(text))].ljust(schema.get("minLength", 0), ".")
        assert re.search(schema.get("pattern", ""), text), schema
        return text


def step_code(program: str) -> Callable[[str], str]:
    """Return a function that gives a program, or of a plan's step the function that is asked for: it returns its input.

    A step is known by the signature that its prompt shows.
    """

    def code(prompt: str) -> str:
        wanted = re.findall(r"^### function\ndef (\w+)\(([^)]*)\)", prompt, re.M)
        if not wanted:
            return program
        name, parameters = wanted[-1]
        names = [part.partition(":")[0].strip() for part in re.split(r",(?![^\[]*\])", parameters) if part.strip()]
        return program if f"def {name}(" in program else f"def {name}({', '.join(names)}):\n    return {names[0]}"

    return code


def step_values() -> dict[str, Told]:
    """Return values for the details of a plan's step: it takes the newest value that there is, whatever its type."""
    newest = re.compile(r"^### available\n((?:\w+: .+\n?)+)", re.M)

    def takes(prompt: str) -> list[str]:
        return [newest.findall(prompt)[-1].strip().splitlines()[-1].partition(":")[0]]

    return {"takes": takes, "gives": "given", "type": "int", "requires": "", "ensures": ""}
