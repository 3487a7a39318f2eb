"""Statistics of comparisons: exact where the numbers allow it, seeded where they do not, standard library only."""
