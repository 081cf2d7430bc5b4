"""Does the real system do this? `table` prints what a lifted function does, cell by cell."""
