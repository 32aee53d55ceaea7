//! Hosts: packets that arrive go to their queue pair, what queue pairs want to send becomes frames.

use super::conn::{Place, qpn_of};
use super::engine::Engine;
use super::event::Event;
use super::frame::{
    CE, CORRUPT, FRAME_OVERHEAD_BYTES, Flying, Handle, INT, INT_BYTES, NO_TELEMETRY, Telemetry,
};
use super::line::MIN_FRAME_BYTES;
use super::nic::Urgent;
use super::path::{DYNAMIC, Path};
use crate::results::HostResult;
use weir_fabric::CnpMode;
use weir_transport::{Packet, RxMeta, Want};
use weir_units::{Span, Time};
use weir_wire::Opcode;

/// A host.
#[derive(Clone, Debug, Default)]
pub(crate) struct Host {
    pub(crate) counters: HostResult,
    /// Notification points by source address, in order of address, where one address has one.
    pub(crate) np_by_source: Vec<(u32, weir_congestion::NotificationPoint)>,
}

impl Engine<'_> {
    /// Reads what [`Engine::host_take`] will want.
    #[inline]
    pub(super) fn look_at_host(&self, frame: Handle) {
        let end = self.frames.get(frame.packet).to;
        std::hint::black_box(self.conns.get(end >> 1).map(|conn| conn.ends[(end & 1) as usize].port));
    }

    /// A host takes a frame in.
    pub(super) fn host_take(&mut self, host: u32, frame: Handle) {
        let Flying { packet, to: end, telemetry } = *self.frames.get(frame.packet);
        self.frames.remove(frame.packet);
        let Some(conn) = self.conns.get_mut(end >> 1) else { return };
        conn.holds -= 1;
        if frame.flags & CORRUPT != 0 {
            self.hosts[host as usize].counters.rx_icrc_errors += 1;
            self.counts.drops += 1;
            self.drop_telemetry(telemetry);
            return self.close_if_over(end);
        }
        if conn.over {
            self.hosts[host as usize].counters.rp_cnp_ignored += u64::from(packet.opcode == Opcode::CNP);
            self.drop_telemetry(telemetry);
            return self.close_if_over(end);
        }
        let marked = frame.flags & CE != 0;
        let e = &mut conn.ends[(end & 1) as usize];
        if packet.opcode == Opcode::CNP {
            e.cnps += 1;
            match self.reaction_delay {
                Span::ZERO => e.qp.handle_cnp(self.now),
                delay => {
                    conn.holds += 1;
                    self.wheel.push((self.now + delay).as_ps(), Event::CnpHandled { end });
                }
            }
            return;
        }
        let hops = match telemetry {
            NO_TELEMETRY => &[],
            slot => self.telemetry.get(slot).hops(),
        };
        e.qp.handle_packet(
            self.now,
            &packet,
            RxMeta { ce: marked, telemetry: hops, grh: None },
            &mut self.env,
        );
        if packet.payload_bytes > 0 {
            if telemetry != NO_TELEMETRY {
                let older = std::mem::replace(&mut e.telemetry, telemetry);
                self.drop_telemetry(older);
            }
            if marked {
                self.congestion_seen(host, end);
            }
            self.delivered(end >> 1);
        } else {
            self.drop_telemetry(telemetry);
        }
        self.completions();
        self.settle(end);
    }

    #[inline]
    fn drop_telemetry(&mut self, slot: u32) {
        if slot != NO_TELEMETRY {
            self.telemetry.remove(slot);
        }
    }

    #[cold]
    fn close_if_over(&mut self, end: u32) {
        self.hold(end);
        self.unhold(end);
    }

    /// A frame is lost: its packet, telemetry and claim on the connection go.
    #[cold]
    pub(super) fn discard(&mut self, frame: Handle) {
        let Flying { to, telemetry, .. } = *self.frames.get(frame.packet);
        self.frames.remove(frame.packet);
        self.drop_telemetry(telemetry);
        self.unhold(to);
    }

    /// A marked data packet is at the notification point.
    fn congestion_seen(&mut self, host: u32, end: u32) {
        let Some(conn) = self.conns.get_mut(end >> 1) else { return };
        let port = conn.ends[1 - (end & 1) as usize].port;
        let e = &mut conn.ends[(end & 1) as usize];
        e.marked += 1;
        if !self.sends_cnps {
            return;
        }
        let np = match self.scenario.nic.cnp_mode {
            CnpMode::PerFlow => &mut e.np,
            CnpMode::PerIp => {
                let source = self.lines[port as usize].node;
                let list = &mut self.hosts[host as usize].np_by_source;
                let at = match list.binary_search_by_key(&source, |(source, _)| *source) {
                    Ok(at) => at,
                    Err(at) => {
                        list.insert(at, (source, weir_congestion::NotificationPoint::default()));
                        at
                    }
                };
                &mut list[at].1
            }
        };
        let owed = np.next_deadline();
        let now = np.on_ce(self.now, &self.np_params);
        let due = np.next_deadline();
        if now {
            self.notify(end);
        } else if let Some(at) = due
            && due != owed
        {
            self.hold(end);
            self.wheel.push(at.as_ps(), Event::NpWindow { end });
        }
    }

    /// A window of the notification point is over.
    pub(super) fn np_window(&mut self, end: u32) {
        let params = self.np_params;
        let Some(conn) = self.conns.get_mut(end >> 1) else { return };
        let host = self.lines[conn.ends[(end & 1) as usize].port as usize].node;
        let source = self.lines[conn.ends[1 - (end & 1) as usize].port as usize].node;
        let e = &mut conn.ends[(end & 1) as usize];
        let np = match self.scenario.nic.cnp_mode {
            CnpMode::PerFlow => Some(&mut e.np),
            CnpMode::PerIp => {
                let list = &mut self.hosts[host as usize].np_by_source;
                list.iter_mut().find(|(address, _)| *address == source).map(|(_, np)| np)
            }
        };
        let send = np.is_some_and(|np| np.handle_deadline(self.now, &params));
        let over = conn.over;
        if send && !over {
            self.notify(end);
        }
        self.unhold(end);
    }

    /// The notification point has decided to send a notification: it leaves after the NIC's processing time.
    fn notify(&mut self, end: u32) {
        self.hold(end);
        match self.notification_delay {
            Span::ZERO => self.cnp_ready(end),
            delay => self.wheel.push((self.now + delay).as_ps(), Event::CnpReady { end }),
        }
    }

    /// A notification is ready to leave.
    pub(super) fn cnp_ready(&mut self, end: u32) {
        let Some(conn) = self.conns.get(end >> 1) else { return };
        let port = conn.ends[(end & 1) as usize].port;
        self.nics[port as usize].nic.push_urgent(self.cnp_prio, Urgent::Cnp(end));
        self.nic_kick(port);
    }

    /// The reaction point acts on a notification.
    pub(super) fn cnp_handled(&mut self, end: u32) {
        if let Some(conn) = self.conns.get_mut(end >> 1)
            && !conn.over
        {
            conn.ends[(end & 1) as usize].qp.handle_cnp(self.now);
        }
        self.unhold(end);
    }

    /// Puts a packet on the line of a NIC. `flying.to` is the end that it is for.
    #[inline]
    fn emit(&mut self, port: u32, flying: Flying, path: Path, prio: u8, flags: u8) {
        let int = if flying.telemetry == NO_TELEMETRY { 0 } else { INT_BYTES };
        let bytes = (FRAME_OVERHEAD_BYTES + flying.packet.transport_bytes() + int).max(MIN_FRAME_BYTES);
        let packet = self.frames.insert(flying);
        let path = if self.per_packet_paths { DYNAMIC } else { path.start };
        self.transmit(port, Handle { packet, path, bytes: bytes as u16, prio, flags });
    }

    /// Sends the next acknowledgement of an end whose turn it is. False if there is none.
    pub(super) fn send_ack(&mut self, port: u32, end: u32) -> bool {
        let Some(conn) = self.conns.get_mut(end >> 1) else { return false };
        let over = conn.over;
        let e = &mut conn.ends[(end & 1) as usize];
        e.ack_queued = false;
        let packet = if over || e.port != port { None } else { e.qp.poll_ack() };
        let Some(packet) = packet else {
            self.unhold(end);
            self.settle_if_moved(port, end);
            return false;
        };
        let prio = self.ack_prio.unwrap_or(e.prio);
        let path = e.path;
        let telemetry = std::mem::replace(&mut e.telemetry, NO_TELEMETRY);
        if e.qp.has_ack() {
            // The place in the queue stays, and so does what it holds; the frame holds as well.
            e.ack_queued = true;
            conn.holds += 1;
            self.nics[port as usize].nic.push_urgent_front(prio, Urgent::Ack(end));
        }
        self.emit(port, Flying { packet, to: end ^ 1, telemetry }, path, prio, 0);
        true
    }

    /// An end that has moved to another port of its host has its turn there.
    fn settle_if_moved(&mut self, port: u32, end: u32) {
        let moved = |conn: &super::conn::Conn| !conn.over && conn.ends[(end & 1) as usize].port != port;
        if self.conns.get(end >> 1).is_some_and(moved) {
            self.settle(end);
        }
    }

    /// Sends a congestion notification whose turn it is.
    pub(super) fn send_cnp(&mut self, port: u32, end: u32) -> bool {
        let Some(conn) = self.conns.get_mut(end >> 1) else { return false };
        let e = &conn.ends[(end & 1) as usize];
        if conn.over {
            self.unhold(end);
            return false;
        }
        let (path, host) = (e.path, self.lines[port as usize].node);
        let packet = Packet::cnp(qpn_of(end ^ 1));
        self.hosts[host as usize].counters.np_cnp_sent += 1;
        self.counts.cnps += 1;
        // The frame takes over what the place in the queue held.
        self.emit(port, Flying { packet, to: end ^ 1, telemetry: NO_TELEMETRY }, path, self.cnp_prio, 0);
        true
    }

    /// Sends the next data packet of an end whose turn it is. False if it has none after all.
    pub(super) fn send_data(&mut self, port: u32, end: u32, class: usize) -> bool {
        let now = self.now;
        let Some(conn) = self.conns.get_mut(end >> 1) else { return false };
        let over = conn.over;
        let e = &mut conn.ends[(end & 1) as usize];
        e.place = Place::Nowhere;
        let packet = if over || e.port != port { None } else { e.qp.poll_data(now, &mut self.env) };
        let Some(packet) = packet else {
            self.unhold(end);
            self.settle_if_moved(port, end);
            self.pace(port, end);
            return false;
        };
        let (prio, path) = (e.prio, e.path);
        let (telemetry, flags) = match self.uses_int && packet.payload_bytes > 0 {
            true => (self.telemetry.insert(Telemetry::default()), INT | self.ect),
            false => (NO_TELEMETRY, self.ect),
        };
        // The frame takes over what the place in the ring held.
        self.emit(port, Flying { packet, to: end ^ 1, telemetry }, path, prio, flags);
        let free = self.lines[port as usize].busy_until;
        let nic = &mut self.nics[port as usize].nic;
        nic.charge(class, u32::from(packet.payload_bytes) + FRAME_OVERHEAD_BYTES + 20);
        let Some(conn) = self.conns.get_mut(end >> 1) else { return true };
        let e = &mut conn.ends[(end & 1) as usize];
        match e.qp.want(now) {
            Want::Nothing => {}
            // The line is not free before anyway.
            Want::At(at) if at > free => {
                e.place = Place::Paced;
                conn.holds += 1;
                nic.push_paced(prio, end, at);
            }
            Want::Now | Want::At(_) => {
                e.place = Place::Ready;
                conn.holds += 1;
                nic.push_ready(prio, end);
            }
        }
        if let Some(at) = e.qp.next_deadline()
            && at < e.timer_at
        {
            e.timer_at = at;
            let generation = conn.generation;
            self.wheel.push(at.as_ps(), Event::QpTimer { end, generation });
        }
        if !self.env.cqs[0].is_empty() {
            self.completions();
        }
        true
    }

    /// An end had its turn and nothing to send: if its pacer says when it may, it waits there; otherwise until something
    /// happens to it.
    fn pace(&mut self, port: u32, end: u32) {
        let Some(conn) = self.conns.get_mut(end >> 1) else { return };
        let e = &mut conn.ends[(end & 1) as usize];
        if conn.over || e.port != port || e.place != Place::Nowhere {
            return;
        }
        if let Want::At(at) = e.qp.want(self.now)
            && at != Time::MAX
        {
            e.place = Place::Paced;
            conn.holds += 1;
            self.nics[port as usize].nic.push_paced(e.prio, end, at);
        }
    }
}
