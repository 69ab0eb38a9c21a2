//! Which user is at the other end of a connection within this machine: the kernel's table
//! of sockets has the user of each.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// The user who owns the socket at `peer` that is connected to `here`; `None` where the
/// kernel does not say.
pub fn user_of(peer: SocketAddr, here: SocketAddr) -> Option<u32> {
    // A socket for both families is in the second table.
    ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .filter_map(|table| fs::read_to_string(table).ok())
        .find_map(|table| find(&table, peer, here))
}

fn find(table: &str, peer: SocketAddr, here: SocketAddr) -> Option<u32> {
    let (peer, here) = (ends(peer)?, ends(here)?);
    table.lines().skip(1).find_map(|line| {
        // Number, local address, remote address, state, queues, timer, retransmits, user.
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_it = |at: usize, names: &[String; 2]| {
            words
                .get(at)
                .is_some_and(|it| names.iter().any(|name| name == it))
        };
        match is_it(1, &peer) && is_it(2, &here) {
            true => words.get(7)?.parse().ok(),
            false => None,
        }
    })
}

/// The address as the two tables write it: words of four bytes in the byte order of the
/// machine, and the port.
fn ends(address: SocketAddr) -> Option<[String; 2]> {
    let IpAddr::V4(ip) = address.ip() else {
        return None;
    };
    let word = |ip: Ipv4Addr| format!("{:08X}", u32::from_ne_bytes(ip.octets()));
    let port = address.port();
    let mapped = u32::from_ne_bytes([0, 0, 0xff, 0xff]);
    Some([
        format!("{}:{port:04X}", word(ip)),
        format!("{:016X}{mapped:08X}{}:{port:04X}", 0, word(ip)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn the_user_of_a_connection_is_known() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (server, peer) = listener.accept().unwrap();
        let me = fs::metadata("/proc/self").unwrap().uid();
        assert_eq!(user_of(peer, server.local_addr().unwrap()), Some(me));
        // Nobody is connected the other way round to a port that only listens.
        let nobody = SocketAddr::from((Ipv4Addr::LOCALHOST, 1));
        assert_eq!(user_of(nobody, client.local_addr().unwrap()), None);
    }

    #[test]
    fn both_tables_are_read() {
        let here = SocketAddr::from((Ipv4Addr::LOCALHOST, 0x1F90));
        let peer = SocketAddr::from((Ipv4Addr::LOCALHOST, 0xC001));
        let head =
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n";
        let four = format!(
            "{head}   1: 0100007F:C001 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 1\n"
        );
        assert_eq!(find(&four, peer, here), Some(1000));
        assert_eq!(find(&four, here, peer), None);
        let six = format!(
            "{head}   1: 0000000000000000FFFF00000100007F:C001 0000000000000000FFFF00000100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 1\n"
        );
        assert_eq!(find(&six, peer, here), Some(1001));
        assert_eq!(find("", peer, here), None);
    }
}
