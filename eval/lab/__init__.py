"""The benchmark lab: methods, models and suites under equal budgets, run by run, resumable."""
