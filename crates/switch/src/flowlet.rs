//! Flowlets: a flow may change its path when it has paused for longer than paths differ.
