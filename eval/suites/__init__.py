"""Benchmark suites, one file each."""
