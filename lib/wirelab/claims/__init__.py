"""The claims ledger: statements about servers as code over captures, and what a failure means."""
