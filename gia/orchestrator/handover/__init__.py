"""What a tool is given, what it leaves, and the door through which facts come in."""
