"""HTTP for answers of a bounded size: a server that never ends one must not fill the memory."""

from __future__ import annotations

from collections.abc import Iterator

from dspy._vendor.lm15.transports import StdlibTransport, TransportRequest, TransportResponse

from auditcoder.backbones.errors import UnavailableError

MOST_BYTES = 8 << 20
"""A thousand times the longest answer that a model of today gives."""


class CappedTransport(StdlibTransport):  # type: ignore[misc,unused-ignore]
    """DSPy's own transport, but an answer that grows beyond `MOST_BYTES` (unpacked) ends in an error."""

    def stream(self, request: TransportRequest) -> TransportResponse:
        """Return the open answer; reading it raises `UnavailableError` when it is too long."""
        inner = super().stream(request)
        return TransportResponse(
            status=inner.status,
            reason=inner.reason,
            headers=inner.headers,
            http_version=inner.http_version,
            chunks=_capped(inner),
            release=lambda _whole: inner.close(),
        )


def _capped(response: TransportResponse) -> Iterator[bytes]:
    size = 0
    for chunk in response:
        size += len(chunk)
        if size > MOST_BYTES:
            raise too_long()
        yield chunk


def too_long() -> UnavailableError:
    """Return the error for an answer that is too long to be one."""
    return UnavailableError(f"the answer is longer than {MOST_BYTES >> 20} MiB")
