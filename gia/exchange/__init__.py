"""Files that tools exchange, to and from a GIA."""
