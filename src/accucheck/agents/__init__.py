"""accucheck for programs that work for a person: `tools` is what they may ask of one project, `server` says it over MCP.

What an agent concludes is kept as an agent's; what runs the project's code, a command or reads from the network is a person's to allow.
"""
