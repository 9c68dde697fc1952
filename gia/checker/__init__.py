"""An independent check of every claim of a GIA."""
