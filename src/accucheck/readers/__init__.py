"""Files to values, one module a format or family of formats. Bad input is a ReadError."""
