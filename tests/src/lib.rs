//! Whole paths through the project, and what the fuzz targets run.
