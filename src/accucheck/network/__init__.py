"""`accucheck graph`: a network to look at, from a recording, a dumped graph or a checkpoint.

tree.py is what is looked at, and how it is searched; recorded.py, dumped.py and stored.py make it of what lies on disk, sources.py tells
which of them; sample_sides.py sets two side by side; telling.py puts it into lines, page.py into one page that opens offline.
"""
