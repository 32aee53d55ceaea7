//! Congestion control for RoCE: DCQCN and its rivals behind one trait, and the theory that predicts them.
