//! What a fabric is: topology, routes, QoS policy, buffers, workloads; read from TOML with units.
