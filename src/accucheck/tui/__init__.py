"""The walkthrough in the terminal; the only place that knows textual."""

import os

# Seconds that Textual waits before it paints what a key changed: 1/60 by default, and often twice; nothing is painted in between.
os.environ.setdefault("TEXTUAL_FPS", "200")
