//! RoCEv2 packets as bytes: Ethernet to BTH and every extension header, CNP, PFC, ICRC, pcap.
