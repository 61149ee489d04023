"""Running the notebooks: over captures and parameters, on kernels that start warm, with one report at the end."""
