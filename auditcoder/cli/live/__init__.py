"""The live view of a run: events -> view -> text; nothing here decides anything."""
