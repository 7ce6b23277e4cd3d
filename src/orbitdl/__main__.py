"""``python -m orbitdl``: the command line."""

from orbitdl.command import main

if __name__ == "__main__":
    main()
