#if os(Linux)
import CMoyaCurl
import Foundation
import MoyaTesting
import MoyaTransport
import Testing
import TransportConformance

@testable import MoyaCurl

@Suite(.timeLimit(.minutes(3))) struct CurlVersionTests {
    private static let everything = CURL_VERSION_SSL | CURL_VERSION_HTTP2 | CURL_VERSION_LIBZ

    private static func failure(_ version: CurlVersion, features: Int32) -> TransportFailure? {
        CurlLibrary(version: version, features: features, hasDNSServers: true).failure
    }

    @Test(arguments: [
        ("OpenSSL/3.0.19", true), ("(GnuTLS/3.7.9) OpenSSL/3.0.19", true), ("quictls/3.1.4", true),
        ("GnuTLS/3.7.9", false), ("(OpenSSL/3.0.19) GnuTLS/3.7.9", false), ("wolfSSL/5.5.4", false), ("", false),
    ])
    func onlyOpenSSLIsAccepted(_ name: String, _ isAccepted: Bool) {
        let library = CurlLibrary(
            version: .loaded, features: Self.everything, hasDNSServers: true, tlsLibrary: name)
        #expect((library.failure == nil) == isAccepted)
        if !isAccepted {
            #expect(library.failure?.message.contains("uses \(name) for TLS; Moya needs OpenSSL") == true)
        }
    }

    @Test func theLoadedLibraryIsNewEnough() {
        #expect(CurlLibrary.loaded.failure == nil)
        let version = curl_version_info(CURLVERSION_FIRST).map { String(cString: $0.pointee.version) }
        #expect(version == "\(CurlVersion.loaded)")
    }

    /// The folder of the library that `make test-curl` tests; otherwise `nil`.
    private static let namedFolder = ProcessInfo.processInfo.environment["MOYA_CURL_LIBRARY"]

    @Test(.enabled(if: namedFolder != nil, "only make test-curl names a library")) func theNamedLibraryIsLoaded() throws
    {
        let folder = try URL(fileURLWithPath: #require(Self.namedFolder)).resolvingSymlinksInPath().path
        let file = try #require(FileHandle(forReadingAtPath: "/proc/self/maps"))
        let maps = try #require(try file.readToEnd())
        let mappings = String(decoding: maps, as: UTF8.self).split(separator: "\n")
        let libraries = mappings.filter { $0.contains("/libcurl.so") }
        #expect(!libraries.isEmpty)
        #expect(libraries.allSatisfy { $0.contains(" \(folder)/") }, "\(libraries)")
    }

    @Test func versionsAreOrdered() {
        #expect(CurlVersion(7, 81) < CurlVersion(7, 88, 1))
        #expect(CurlVersion(7, 88, 1) < CurlVersion(8, 0))
        #expect(CurlVersion(8, 9, 1) < CurlVersion(8, 14))
        #expect(CurlVersion(7, 88, 1).number == 0x075801)
    }

    /// A property of versions that changes.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The first version with the new value.
        let first: CurlVersion
        /// The value from that version on.
        let value: Bool
        let property: @Sendable (CurlVersion) -> Bool

        init(
            _ name: String, _ first: CurlVersion, _ value: Bool, _ property: @escaping @Sendable (CurlVersion) -> Bool
        ) {
            testDescription = "\(name) since \(first): \(value)"
            self.first = first
            self.value = value
            self.property = property
        }
    }

    static let changes: [Change] = [
        Change("exceptsNetworks", CurlVersion(7, 86), true) { $0.exceptsNetworks },
        Change("canLeaveLookups", CurlVersion(7, 87), true) { $0.canLeaveLookups },
        Change("opensNextAddressLate", CurlVersion(7, 88), true) { $0.opensNextAddressLate },
        Change("opensNextAddressLate", CurlVersion(8, 4), false) { $0.opensNextAddressLate },
        Change("sendsEmptyQueries", CurlVersion(8, 0), false) { $0.sendsEmptyQueries },
        Change("mayDropTrailers", CurlVersion(8, 3), true) { $0.mayDropTrailers },
        Change("mayDropTrailers", CurlVersion(8, 23), false) { $0.mayDropTrailers },
        Change("wakesByPipe", CurlVersion(8, 5), true) { $0.wakesByPipe },
        Change("codeOfLongLine", CurlVersion(8, 6), false) { $0.codeOfLongLine == CURLE_OUT_OF_MEMORY.rawValue },
        Change("countsWaitAsConnecting", CurlVersion(8, 8), true) { $0.countsWaitAsConnecting },
        Change("hasInheritedSockets", CurlVersion(8, 8), false) { $0.hasInheritedSockets },
        Change("reusesPriorKnowledge", CurlVersion(8, 14), true) { $0.reusesPriorKnowledge },
        Change("mixesStreams", CurlVersion(8, 14), false) { $0.mixesStreams },
        Change("remembersFailedLookups", CurlVersion(8, 16), true) { $0.remembersFailedLookups },
        Change("joinsFoldedLines", CurlVersion(8, 18), true) { $0.joinsFoldedLines },
        Change("rewritesEscapes", CurlVersion(8, 20), true) { $0.rewritesEscapes },
        Change("poolsLookups", CurlVersion(8, 20), true) { $0.poolsLookups },
        Change("escapesDigestNames", CurlVersion(8, 21), true) { $0.escapesDigestNames },
        Change("looksBeforeReuse", CurlVersion(8, 22), false) { $0.looksBeforeReuse },
    ]

    @Test(arguments: changes) func differenceBeginsWithItsVersion(_ change: Change) {
        #expect(change.property(CurlVersion(number: change.first.number - 1)) != change.value)
        #expect(change.property(change.first) == change.value)
    }

    @Test func theOldestSupportedVersionIsAccepted() {
        #expect(Self.failure(.oldest, features: Self.everything) == nil)
    }

    @Test func anOlderVersionIsNamed() throws {
        let failure = try #require(Self.failure(CurlVersion(7, 80), features: Self.everything))
        #expect(failure.kind == .unsupported)
        #expect(failure.message.contains("libcurl 7.80.0, which is too old: Moya needs 7.81.0 or newer"))
    }

    @Test(arguments: [
        (CURL_VERSION_SSL, "TLS"), (CURL_VERSION_HTTP2, "HTTP/2"), (CURL_VERSION_LIBZ, "the content codings"),
    ])
    func aFeatureThatIsMissingIsNamed(_ bit: Int32, _ name: String) throws {
        let failure = try #require(Self.failure(CurlVersion(8, 14, 1), features: Self.everything & ~bit))
        #expect(failure.kind == .unsupported)
        #expect(failure.message.contains("libcurl 8.14.1 that was built without \(name)"), "\(failure.message)")
    }

    @Test func everyMissingFeatureIsNamed() throws {
        let failure = try #require(Self.failure(.oldest, features: 0))
        #expect(failure.message.contains("TLS, HTTP/2, the content codings gzip and deflate"))
    }

    // MARK: Differences

    @Test(arguments: [
        ("http://h/?", "/?"), ("http://h?", "/?"), ("http://h/a/../b?", "/a/../b?"), ("https://h:1/a?#f", "/a?"),
        ("http://h/a", nil), ("http://h/a?b", nil), ("http://h/a?b?", nil), ("http://h/a#b?", nil), ("?", nil),
        ("", nil),
    ])
    func theTargetOfAnEmptyQueryIsNamed(_ url: String, _ target: String?) {
        #expect(TransferOptions.targetToName(of: url, for: CurlVersion(8, 14)) == target)
    }

    @Test(arguments: [
        ("http://h/%2e", "/%2e"), ("http://h?a=%2F%2f", "/?a=%2F%2f"), ("https://h:1/a%fF?b#%2F", "/a%fF?b"),
        ("http://h/%2F%2E%41", nil), ("http://h/a#%2f", nil), ("http://h/%zz%", nil), ("http://h%2ei", nil),
    ])
    func theTargetOfAnEscapeInLowerCaseIsNamed(_ url: String, _ target: String?) {
        #expect(TransferOptions.targetToName(of: url, for: CurlVersion(8, 20)) == target)
        #expect(TransferOptions.targetToName(of: url, for: CurlVersion(8, 14)) == nil)
    }

    @Test func theTargetOfAnEmptyQueryIsNotTheNextRequests() async throws {
        let server = try await LoopbackServer { try await $0.respond() }
        let transport = CurlTransport.separate(TransportConfiguration(proxy: .none))
        for target in ["/a?", "/b", "/c?d", "/e?"] { _ = try await transport.run(server.request("GET", target)) }
        #expect(server.requests.map(\.target) == ["/a?", "/b", "/c?d", "/e?"])
    }

    @Test func aStatusOfFourDigitsIsMalformed() {
        var reader = ResponseHeadReader()
        for line in ["HTTP/1.1 2000 OK\r\n", "\r\n"] {
            _ = line.utf8.withContiguousStorageIfAvailable { reader.take(.init($0)) }
        }
        #expect(reader.hasMalformedStatus)
        reader.reset()
        #expect(!reader.hasMalformedStatus)
    }
}
#endif
