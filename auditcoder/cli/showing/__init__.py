"""What `auditcoder show` shows: record -> part (text for people, data for programs)."""
