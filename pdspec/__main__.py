"""`python -m pdspec` is `pdspec`."""

from pdspec.cli import main

if __name__ == "__main__":
    main()
