"""Files that tools exchange, to and from a GIA: a package for each family of formats.

``formats`` has their names, ``detection`` finds out which one a file is in, and ``imports`` reads any of them.
"""
