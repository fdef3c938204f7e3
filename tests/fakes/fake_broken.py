"""A fake probe of another package that does not import: what it needs is not installed."""

import no_such_module  # noqa: F401
