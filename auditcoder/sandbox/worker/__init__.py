"""Runs by path inside the sandboxed processes: standard library only, imports nothing of ours but itself."""
