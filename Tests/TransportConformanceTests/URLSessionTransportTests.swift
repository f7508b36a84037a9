import MoyaTesting
import MoyaTransport
import MoyaURLSession
import Testing
import TransportConformance

#if os(Linux)
@testable import MoyaCurl
#endif

/// The wire over URLSession, held to every behaviour that it does not except.
@Suite(.timeLimit(.minutes(5))) struct URLSessionTransportTests {
    typealias Exceptions = [TransportConformance.Exception]

    @Test func everyBehaviorIsMetOrDeclared() async {
        let exceptions = Self.everywhere + Self.ofThePlatform
        let report = await TransportConformance.report(on: "URLSession", exceptions: exceptions) {
            URLSessionTransport()
        }
        print(report)
        for entry in report.broken { Issue.record("\(entry.behavior): \(entry.verdict)") }
        #expect(report.isClean)
    }

    #if canImport(Darwin)
    private static let trailers = except(
        "URLSession does not tell trailers", "trailers come with the end, and are no part of the head")
    #endif

    private static func except(_ reason: String, _ behaviors: String...) -> Exceptions {
        behaviors.map { TransportConformance.Exception(behavior: $0, reason: reason) }
    }

    private static let everywhere =
        except(
            "URLSession keeps one field of each name, in no order",
            "fields keep their order and their duplicates", "fields arrive in order, with spelling and duplicates")
        + except("URLRequest spells the standard methods in capitals", "the method get is sent as it is spelled")
        + except("URLSession sends no GET with a body, and the wire refuses it", "a GET may have a body")
        + except("URLSession does not tell the version", "HTTP/1.0 is reported as such")
        + except(
            "URLSession does not report when a connection is established; the transport refuses the bound by name",
            "a connection that does not come about runs into the connect bound")
        + except(
            "URLSession does not report when a connection is established, so that this is silence like any other",
            "the idle bound holds while connecting, reported as connect")

    #if canImport(Darwin)
    private static let ofThePlatform =
        trailers
        + except(
            "URLSession does not tell the end of a connection from a reset",
            "a body shorter than its length is truncated", "a body of which nothing comes is truncated",
            "a body without its last chunk is truncated", "a body cut within a chunk is truncated",
            "a body cut within a chunk's size is truncated", "a body cut after the last chunk is truncated",
            "a body cut within the trailers is truncated", "a head without its end is truncated")
        + except(
            "an exchange that the wire ends itself does not wait for what URLSession measured",
            "a failed exchange has metrics too")
    #else
    private static let ofThePlatform = onLinux + ofLibcurl + ofLibcurl8 + metrics + notRun

    private static let onLinux =
        except(
            "Foundation on Linux discards the body of a redirect that it cannot follow",
            "a redirect with no location arrives whole", "a redirect with an empty location arrives whole")
        + except("Foundation on Linux spells names as it sees fit", "field names keep their spelling")
        + except(
            "Foundation on Linux has libcurl mend the path", "dot segments are sent as they stand in the URL")
        + except(
            "Foundation on Linux takes no address in brackets for a host", "an IPv6 address is reached",
            "a refused port over IPv6 is a failure to connect")
        + except(
            "Foundation on Linux states the length 0 for every method that may have a body",
            "a DELETE without body states no length")
        + except("Foundation on Linux calls a body a form", "no Content-Type is invented")
        + except(
            "Foundation on Linux waits for a body stream on the one queue of all sessions, so that the wire gathers it first",
            "a stream of unknown length arrives in chunks", "a reader is asked for no more than the server takes")
        + except(
            "Foundation on Linux does not read the line", "a status line with no reason and no space is read",
            "a field with a value of white space is read", "a field with no space after the colon is read",
            "lines may end in LF alone")
        + except("Foundation on Linux drops the field", "bytes other than UTF-8 are read as Latin-1")
        + except(
            "Foundation on Linux cannot stop reading; the wire keeps what comes meanwhile in memory",
            "a reader that waits at the head leaves the sender waiting and loses nothing",
            "a reader that waits at the first chunk leaves the sender waiting and loses nothing")

    private static let ofLibcurl =
        ["gzip", "deflate", "br", "zstd"].flatMap { coding in
            except(
                "libcurl 7.88, which Foundation on Linux sends with, takes coded bytes that stop half-way for all there are",
                "\(coding) that is cut short fails to decode")
        }
        + except(
            "libcurl 7.88, which Foundation on Linux sends with, refuses a coding that it does not know",
            "an unknown coding is delivered as it came")
        + except(
            "libcurl 7.88, which Foundation on Linux sends with, reads what has arrived on an idle connection",
            "bytes on an idle connection are not taken for the next response")

    private static let ofLibcurl8 =
        CurlVersion.loaded.sendsEmptyQueries
        ? []
        : except(
            "libcurl 8, where Foundation on Linux sends with it, writes the target anew",
            "an empty query is sent as they stand in the URL", "escapes are sent as they stand in the URL")

    private static let metrics = except(
        "Foundation on Linux measures nothing", "body sizes count the transmitted bytes",
        "points in time come in their order", "the protocol is named", "the server's address is reported",
        "a kept connection is distinguished from a new one", "coded bytes count before decoding",
        "a failed exchange has metrics too")

    private static let notRun =
        [
            "chunks may have trailers", "chunks may have a trailer that looks like a status line",
            "chunks may have a trailer that states a length", "chunks split at every byte are joined",
            "the connection is kept after trailers", "trailers come with the end, and are no part of the head",
            "trailers of one answer do not reach the next", "trailers without end are refused",
        ].map {
            TransportConformance.Exception(
                behavior: $0,
                notRun: "Foundation on Linux ends the process at trailers, which no wire over it can prevent")
        } + [
            TransportConformance.Exception(
                behavior: "a head without its end is truncated",
                notRun: "Foundation on Linux ends the process at it, which no wire over it can prevent")
        ]
        + [
            "a piece of the body is sent before the reader has the next one",
            "pieces of the answer come while pieces of the body are sent",
            "an exchange whose body goes on ends with a whole answer of stated length",
            "an exchange whose body goes on ends with a whole answer in chunks",
            "an exchange whose body goes on ends with a whole answer without content",
            "an exchange whose body goes on ends with a whole answer with the status 413",
            "a connection that breaks while the body's reader has nothing is a reset",
        ].map {
            TransportConformance.Exception(
                behavior: $0, notRun: "on Linux the wire gathers the body before it sends any, and would wait for ever")
        }
    #endif
}
