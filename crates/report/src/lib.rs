//! Tables, charts and files for people. Byte-stable output.
