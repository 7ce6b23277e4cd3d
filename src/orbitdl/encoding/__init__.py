"""Functions of data and components: codes, alpha paths, denoising, completion, distances."""
