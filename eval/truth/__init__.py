"""Whether the harness tells the truth: reference solutions and recorded programs, judged by the hidden tests."""
