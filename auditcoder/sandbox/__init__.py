"""Isolated execution of untrusted programs; the judge stays outside."""
