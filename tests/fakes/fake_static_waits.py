"""A fake probe of another package: reads scripts, and finds a problem once the project has a file named go."""

from fake_live_waits import MESSAGES, NEEDS, WORDS, Params, run  # noqa: F401  (what a probe is made of)

from accucheck.model import Kind

KIND = Kind.STATIC
EXAMPLES = []
