#if os(Linux)
import CMoyaCurl
import Glibc
import Testing

@testable import MoyaCurl

@Suite struct SocketTableTests {
    /// The owner of a socket.
    private final class Owner {}

    @Test func leavesTheNextOwnerOfADescriptorAlone() throws {
        let table = try #require(SocketTable())
        let owner = Owner()
        var (opening, stranger) = (Pair(), Pair())
        defer {
            opening.close()
            stranger.close()
        }
        // A connection that is abandoned before it is established, and whose socket libcurl closes without a callback.
        table.connectionMade(opening.near)
        table.want(CURL_POLL_OUT, of: opening.near, key: 1, owner: ObjectIdentifier(owner))
        stranger.takeNumber(of: &opening)
        table.unwant(stranger.near)
        table.transferEnded(ObjectIdentifier(owner), on: stranger.near)

        #expect(send(stranger.far, "x", 1, 0) == 1)
        table.endReadableIdleConnections()
        var byte: UInt8 = 0
        #expect(recv(stranger.near, &byte, 1, Int32(MSG_DONTWAIT)) == 1)
        #expect(send(stranger.near, "y", 1, Int32(MSG_NOSIGNAL)) == 1)
    }
}

/// Two sockets that are connected to each other.
private struct Pair {
    private(set) var near: Int32 = -1
    let far: Int32

    init() {
        var numbers: [Int32] = [-1, -1]
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &numbers)
        (near, far) = (numbers[0], numbers[1])
    }

    /// Closes the other pair's near socket, and gets its number.
    mutating func takeNumber(of other: inout Pair) {
        dup2(near, other.near)
        Glibc.close(near)
        near = other.near
        other.near = -1
    }

    func close() {
        for number in [near, far] where number >= 0 { Glibc.close(number) }
    }
}
#endif
