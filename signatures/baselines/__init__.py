"""Typed signatures of the rival methods' agents; the prompts are ours."""
