"""The probes, one module each, found by their names; names with an underscore are what some of them share."""
