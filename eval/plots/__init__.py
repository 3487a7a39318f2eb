"""Plots of results: each is data first, and drawn from nothing but it (extra `lab`)."""
