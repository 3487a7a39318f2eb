"""The numbered checks of an audit: each recomputes one thing from the evidence recorded before an event."""
