"""Tables of results: built once, written as text for people and as plain values for programs."""
