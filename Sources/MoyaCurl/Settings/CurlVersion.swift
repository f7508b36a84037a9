#if os(Linux)
import CMoyaCurl

/// A version of libcurl, and the version differences that the transport or its tests depend on: each has a test that
/// passes with every version.
///
/// The transport handles these differences by what it observes, whichever version is loaded:
///
/// - before 8.2, the reset of a stream that has ended is an error (`CurlEasy.end(_:)`);
/// - from 8.15 on, OpenSSL reads ahead, and libcurl does not see these bytes before it uses a connection again
///   (`CurlEasy.isUnfit`);
/// - from 8.17 on, libcurl looks at the verdict about a certificate only after the first handshake
///   (`require_verification`);
/// - from 8.21 on, libcurl reads the default file of authorities although its path is removed
///   (`CurlSettings.removeAuthorities(on:)`);
/// - from 8.21 on, messages about a proxy name the server, and of the proxy only the host
///   (`TransportFailure+CurlConnecting.swift`).
struct CurlVersion: Sendable, Comparable, CustomStringConvertible {
    /// One byte each of major, minor and patch, as in `LIBCURL_VERSION_NUM`.
    let number: UInt32

    init(number: UInt32) { self.number = number }

    init(_ major: UInt32, _ minor: UInt32, _ patch: UInt32 = 0) {
        number = major << 16 | minor << 8 | patch
    }

    /// The version that the process has loaded, which may differ from that of the headers.
    static let loaded = CurlVersion(number: curl_version_info(CURLVERSION_FIRST)?.pointee.version_num ?? 0)

    /// The oldest supported version, that of Ubuntu 22.04.
    static let oldest = CurlVersion(7, 81)

    /// `true` if a proxy's exceptions may be networks, such as `10.0.0.0/8`.
    var exceptsNetworks: Bool { self >= CurlVersion(7, 86) }

    /// `true` if the question mark of an empty query is sent; newer versions drop it, so the transport sets the request
    /// target itself, unless an HTTP proxy may read the request or it answers a Digest challenge.
    var sendsEmptyQueries: Bool { self < CurlVersion(8, 0) }

    /// `true` if the hexadecimal digits of a URL's escapes are sent as capital letters, whichever the URL has.
    var rewritesEscapes: Bool { self >= CurlVersion(8, 20) }

    /// `true` if a Digest user name is sent with percent escapes for characters beyond ASCII.
    var escapesDigestNames: Bool { self >= CurlVersion(8, 21) }

    /// `true` if an HTTP/2 connection by prior knowledge can carry more than one request.
    ///
    /// 7.88 ends a request that finds such a connection in use, or used before, with a framing error; 8.14 worked in
    /// tests.
    var reusesPriorKnowledge: Bool { self >= CurlVersion(8, 14) }

    /// `true` if a body of unknown length on a connection with streams may be cut, and its bytes, or those of other
    /// responses, mixed up.
    ///
    /// 7.88 does so without an error; 8.14 did not in tests.
    var mixesStreams: Bool { self < CurlVersion(8, 14) }

    /// `true` if libcurl looks for the end of a connection each time before it uses it again; newer versions do so once
    /// a second at most.
    var looksBeforeReuse: Bool { self < CurlVersion(8, 22) }

    /// `true` if the trailers of a response that ends before its upload may be lost: the end of the stream is then an
    /// error.
    var mayDropTrailers: Bool { self >= CurlVersion(8, 3) && self < CurlVersion(8, 23) }

    /// `true` if a folded line is joined to the one before it (RFC 9112 section 5.2); in older versions it is lost.
    var joinsFoldedLines: Bool { self >= CurlVersion(8, 18) }

    /// `true` if libcurl opens the socket to the next address of a name, after one has failed, only when another event of
    /// the transfer comes.
    var opensNextAddressLate: Bool { self >= CurlVersion(7, 88) && self < CurlVersion(8, 4) }

    /// `true` if the wait for a connection to a server whose number is reached counts as connecting.
    var countsWaitAsConnecting: Bool { self >= CurlVersion(8, 8) }

    /// The error code for a header line of more than 100 KiB: that of memory, or `CURLE_TOO_LARGE` of newer headers.
    var codeOfLongLine: UInt32 { self < CurlVersion(8, 6) ? CURLE_OUT_OF_MEMORY.rawValue : 100 }

    /// `true` if libcurl makes its wake-up sockets, or pipes, without close-on-exec.
    var hasInheritedSockets: Bool { self < CurlVersion(8, 8) }

    /// `true` if libcurl wakes itself by a pipe instead of a pair of sockets.
    var wakesByPipe: Bool { self >= CurlVersion(8, 5) }

    /// `true` if a transfer that ends can leave the lookup of a name to its thread; older versions wait for it.
    var canLeaveLookups: Bool { self >= CurlVersion(7, 87) }

    /// `true` if the lookups of all names share threads, 20 by default and two for each lookup, which the end of their
    /// multi handle waits for by default.
    var poolsLookups: Bool { self >= CurlVersion(8, 20) }

    /// `true` if libcurl remembers failed lookups for half the time of others, 30 seconds by default.
    var remembersFailedLookups: Bool { self >= CurlVersion(8, 16) }

    /// The version as text: `7.88.1`.
    var description: String { "\(number >> 16).\(number >> 8 & 0xFF).\(number & 0xFF)" }

    static func < (one: CurlVersion, other: CurlVersion) -> Bool { one.number < other.number }
}
#endif
