from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import dspy
import pytest
from dspy.lm15 import Request
from dspy.signatures import make_signature
from dspy.utils.exceptions import AdapterParseError
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from auditcoder.backbones.adapters import CodeAdapter, SchemaAdapter, TruncatedOutput, extract_code, outline
from auditcoder.backbones.code_adapter import supports_prefill
from auditcoder.backbones.lm import lm_over
from auditcoder.backbones.profiles import Profile, Sampling
from auditcoder.backbones.scripted import ScriptedEngine, cut


class Node(BaseModel):
    """A part of a plan."""

    id: str = Field(max_length=8, pattern="S[0-9]+", description="such as S1")
    kind: Literal["leaf", "group"]


PLAN: Any = make_signature(
    {
        "task": (str, dspy.InputField()),
        "size": (int, dspy.InputField()),
        "nodes": (list[Node], dspy.OutputField(desc="the parts", max_length=2)),
        "risk": (int, dspy.OutputField(ge=0, le=9)),
    },
    "Split the task.",
)
CODE: Any = make_signature(
    {"task": (str, dspy.InputField()), "notes": (str, dspy.InputField()), "code": (str, dspy.OutputField())},
    "Write the function.",
)
GOOD = {"nodes": [{"id": "S1", "kind": "leaf"}], "risk": 3}


def lm_of(engine: ScriptedEngine, **sampling: Any) -> dspy.LM:
    profile = Profile(name="s", engine="lm", model="s", sampling=Sampling(**sampling))
    return lm_over(engine, profile)


def plan(engine: ScriptedEngine, demos: list[Any] | None = None, **config: Any) -> Any:
    predictor = dspy.Predict(PLAN)
    predictor.demos = demos or []
    with dspy.context(lm=lm_of(engine), adapter=SchemaAdapter()):
        return predictor(task="sort it", size=3, config=config)


def code(engine: ScriptedEngine, demos: list[Any] | None = None, **config: Any) -> str:
    predictor = dspy.Predict(CODE)
    predictor.demos = demos or []
    with dspy.context(lm=lm_of(engine), adapter=CodeAdapter()):
        return str(predictor(task="double(x)", notes="be quick", config=config).code)


def texts(request: Request) -> list[tuple[str, str]]:
    return [(message.role, message.text or "") for message in request.messages]


def test_a_schema_request_carries_the_limits_and_the_prompt_a_sketch() -> None:
    engine = ScriptedEngine([json.dumps(GOOD)])
    answer = plan(engine, max_tokens=99)
    [request] = engine.requests
    assert (answer.nodes, answer.risk) == ([Node(id="S1", kind="leaf")], 3)
    response_format: Any = request.config.response_format
    schema = response_format["schema"]
    assert schema["properties"]["nodes"]["maxItems"] == 2
    assert schema["properties"]["risk"]["maximum"] == 9
    assert request.config.max_tokens == 99
    assert texts(request) == [("user", "### task\nsort it\n\n### size\n3")]
    assert request.system == (
        'Split the task.\n\nAnswer with one JSON object, nothing else:\n{\n  "nodes": [{\n'
        '    "id": string,  // such as S1\n    "kind": "leaf" | "group"\n  }, ...],  // the parts\n  "risk": integer\n}'
    )


def test_without_schema_support_no_schema_is_sent_and_a_fence_is_allowed() -> None:
    engine = ScriptedEngine([f"```json\n{json.dumps(GOOD)}\n```\n"])
    engine.supports_response_schema = False
    assert plan(engine).risk == 3
    assert engine.requests[0].config.response_format is None


def test_a_demonstration_has_the_form_of_the_answer() -> None:
    engine = ScriptedEngine([json.dumps(GOOD)])
    plan(engine, [dspy.Example(task="old", size=1, nodes=[Node(id="S2", kind="group")], risk=1)])
    assert texts(engine.requests[0])[:2] == [
        ("user", "### task\nold\n\n### size\n1"),
        ("assistant", '{"nodes": [{"id": "S2", "kind": "group"}], "risk": 1}'),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Sure! Here is the plan.",
        "{",
        "[]",
        "null",
        json.dumps({**GOOD, "risk": 55}),
        json.dumps({**GOOD, "extra": 1}),
        json.dumps({"risk": 3}),
        json.dumps({**GOOD, "nodes": [{"id": "x", "kind": "leaf"}]}),
        json.dumps({**GOOD, "nodes": [GOOD["nodes"][0]] * 3}),  # type: ignore[index]
        json.dumps(GOOD) + " trailing",
    ],
)
def test_an_answer_of_another_form_is_refused_after_one_call(text: str) -> None:
    engine = ScriptedEngine([text])
    with pytest.raises(AdapterParseError):
        plan(engine)
    assert len(engine.requests) == 1


def test_a_cut_answer_is_never_repaired() -> None:
    half = json.dumps(GOOD)[:-1]
    with pytest.raises(TruncatedOutput) as caught:
        plan(ScriptedEngine(cut(half)))
    assert caught.value.partial == half


@pytest.mark.parametrize(
    ("annotation", "sketch"),
    [
        (str, "string"),
        (list[str], "[string, ...]"),
        (str | None, "string | null"),
        (Literal["a", 1], '"a" | 1'),
        (Annotated[int, Field(ge=1)], "integer"),
        (list[list[float]], "[[number, ...], ...]"),
        (dict[str, int], "object"),
        (tuple[bool, ...], "[boolean, ...]"),
    ],
    ids=str,
)
def test_a_sketch_names_each_type(annotation: Any, sketch: str) -> None:
    from pydantic import create_model

    assert outline(create_model("M", x=(annotation, ...))) == f'{{\n  "x": {sketch}\n}}'


def test_code_is_asked_for_and_taken_as_text() -> None:
    engine = ScriptedEngine(["Here:\n```python\ndef double(x):\n    return 2 * x\n```\nIt doubles."])
    demo = dspy.Example(task="one()", notes="-", code="def one():\n    return 1\n")
    assert code(engine, [demo], max_tokens=50) == "def double(x):\n    return 2 * x\n"
    [request] = engine.requests
    assert request.system == "Write the function.\n\nAnswer with one ```python code block and nothing else."
    assert texts(request) == [
        ("user", "### task\none()\n\n### notes\n-"),
        ("assistant", "```python\ndef one():\n    return 1\n```"),
        ("user", "### task\ndouble(x)\n\n### notes\nbe quick"),
    ]
    assert request.config.stop == ()


def test_a_prefill_is_continued_where_the_backbone_can() -> None:
    engine = ScriptedEngine(["    return 2 * x\n"], supports_prefill=True)
    assert code(engine, prefill="def double(x):\n") == "def double(x):\n    return 2 * x\n"
    [request] = engine.requests
    assert texts(request)[-1] == ("assistant", "```python\ndef double(x):\n")
    assert request.config.stop == ("```",)


def test_a_prefill_is_asked_for_where_it_cannot() -> None:
    engine = ScriptedEngine(["```python\ndef double(x):\n    return 2 * x\n```"])
    assert code(engine, prefill="def double(x):\n") == "def double(x):\n    return 2 * x\n"
    [request] = engine.requests
    assert texts(request)[-1][0] == "user"
    assert texts(request)[-1][1].endswith("Begin the code with exactly this:\n```python\ndef double(x):\n```")


def test_cut_code_is_an_error_that_carries_what_there_is() -> None:
    engine = ScriptedEngine(cut("    return 2 *"), supports_prefill=True)
    with pytest.raises(TruncatedOutput) as caught:
        code(engine, prefill="def double(x):\n")
    assert caught.value.partial == "def double(x):\n    return 2 *"


@pytest.mark.parametrize("text", ["", "I cannot do that.", "```\n\n```", "```json\n{}\n```", "   "])
def test_an_answer_without_code_is_refused(text: str) -> None:
    with pytest.raises(AdapterParseError):
        code(ScriptedEngine([text]))


F, G = "def f(x):\n    return x\n", "class G:\n    pass\n"


@pytest.mark.parametrize(
    ("text", "wanted", "expected"),
    [
        (f"```python\n{F}```", "", F),
        (f"```\n{F}```", "", F),
        (f"```py\n{F}```\n```python\n{G}```", "", F),
        (f"```py\n{F}```\n```python\n{G}```", "G", G),
        (f"```py\n{F}```\n```python\n{G}```", "absent", F),
        (f"```bash\npip\n```\n```python\n{F}```", "", F),
        (f"```Python title=x\n{F}```", "", F),
        (f"```python\n{F}", "", F),
        (f"text\n  ```python\n  def f(x):\n      return x\n  ```\n", "", F),  # noqa: F541
        (F, "", F),
        ("import os\n" + F, "f", "import os\n" + F),
        ("not code at all", "", ""),
        ("```python\ndef ff(x):\n    return x\n```\n```python\n" + F + "```", "f", F),
        ("```python\nasync def f(x):\n    return x\n```", "f", "async def f(x):\n    return x\n"),
    ],
)
def test_the_right_block_is_found(text: str, wanted: str, expected: str) -> None:
    assert extract_code(text, wanted) == expected


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.sampled_from("`\n pyjson defx():#~\t\"'\\"), max_size=80))
def test_any_text_gives_a_part_of_it_or_nothing(text: str) -> None:
    found = extract_code(text, "x")
    lines = [line.strip() for line in text.splitlines()]
    assert all(line.strip() in lines or line.strip() == "" for line in found.splitlines())


@pytest.mark.parametrize(
    ("temperature", "rollout", "seed"),
    [(0.8, 3, 8), (0.8, None, 5), (0.0, 3, 5)],
    ids=["another-sample", "the-same", "greedy-has-no-other"],
)
@pytest.mark.filterwarnings("ignore:rollout_id has no effect")
def test_a_rollout_moves_the_seed(temperature: float, rollout: int | None, seed: int) -> None:
    engine = ScriptedEngine(["```python\nx = 1\n```"])
    with dspy.context(lm=lm_of(engine, temperature=temperature, seed=5), adapter=CodeAdapter()):
        dspy.Predict(CODE)(task="t", notes="n", config={} if rollout is None else {"rollout_id": rollout})
    assert engine.requests[0].config.seed == seed


def test_a_signature_with_two_outputs_is_no_code_signature() -> None:
    with (
        dspy.context(lm=lm_of(ScriptedEngine(["```python\nx = 1\n```"])), adapter=CodeAdapter()),
        pytest.raises(ValueError, match="exactly one output field"),
    ):
        dspy.Predict(PLAN)(task="t", size=1)


def test_an_lm_without_engine_has_no_prefill() -> None:
    assert not supports_prefill(dspy.utils.DummyLM([{"code": "x"}]))
