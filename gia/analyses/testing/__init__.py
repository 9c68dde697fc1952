"""The testers: find inputs that reach goals (UA)."""
