"""How models look: pictures and words for people."""
