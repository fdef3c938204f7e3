"""Facts as data, and the small modules that read them."""
