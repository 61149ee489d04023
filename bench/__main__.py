"""`python -m bench`: measure everything, print the table, keep the figures."""

from bench.run import main

if __name__ == "__main__":
    raise SystemExit(main())
