"""The user's Python read as text. ARCHITECTURE.md says which module stands on which."""
