//! Search over a testbed for the parameters that keep a fabric lossless and fast.
