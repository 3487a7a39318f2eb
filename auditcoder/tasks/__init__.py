"""Task files: the format for people, its loader, its JSON Schema."""
