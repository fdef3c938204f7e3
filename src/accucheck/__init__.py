"""accucheck: locate why a MindSpore model does not reach its accuracy."""

__version__ = "0.1.0"
