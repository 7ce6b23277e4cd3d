"""Learning components: the alternation, its steps and what it leaves behind."""
