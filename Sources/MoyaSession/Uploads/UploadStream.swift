public import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// A request body that an asynchronous sequence yields while it is sent.
///
///     let body = UploadStream(readings, length: nil)
///     session.upload(body, to: url).resume()
///
/// The sequence is iterated in a task, which starts when the transport requests the first byte. The next element is
/// requested once the transport has taken the previous one, so one element is in memory, however slow the server is.
/// Empty elements are skipped. The task is cancelled when the exchange ends: by an error, by a cancellation, or by a
/// response that precedes the end of the body. An error of the sequence ends the request with
/// ``SessionError/createUploadableFailed(error:)``, which contains it.
///
/// A sequence can be iterated once, so a retry, or a redirect that keeps the method, fails with ``UploadStreamError``
/// once the sequence was read. A closure makes a new sequence for each attempt.
public struct UploadStream: Sendable {
    /// The length of the body in bytes; `nil` if it is unknown, and the body is sent in chunks.
    ///
    /// A body of another length ends the request with ``UploadStreamError``. The last element of a body with a stated
    /// length is sent once the sequence has ended. With a length of 0 the sequence is not read.
    public let length: Int64?

    /// `true` if the body can be sent again, because a closure makes its sequence for each attempt.
    public let isRepeatable: Bool

    /// The `Content-Type` for a request without one.
    let contentType: String?
    private let run: @Sendable (UploadIteration) async throws -> Void
    private let use = UploadStreamUse()

    /// Makes a body from a sequence, which is read once.
    ///
    /// - Parameters:
    ///   - elements: The bytes in order.
    ///   - length: The total number of bytes, if known.
    public init<Elements: AsyncSequence & Sendable>(
        _ elements: Elements, length: Int64? = nil
    ) where Elements.Element == Data {
        self.init(length: length, isRepeatable: false) { try await $0.send(elements) { $0 } }
    }

    /// Makes a body from a closure, which is called for each attempt.
    ///
    /// - Parameters:
    ///   - length: The total number of bytes, if known.
    ///   - makeElements: Makes the sequence of the bytes; runs in the task of the iteration.
    public init<Elements: AsyncSequence & Sendable>(
        length: Int64? = nil, making makeElements: @escaping @Sendable () async throws -> Elements
    ) where Elements.Element == Data {
        self.init(length: length, isRepeatable: true) { try await $0.send(makeElements()) { $0 } }
    }

    /// Makes a body of JSON Lines: one value per line, encoded when the transport requests it.
    ///
    /// The request gets the `Content-Type` `application/jsonl`, unless it sets another one, such as
    /// `application/x-ndjson`.
    ///
    /// - Parameters:
    ///   - values: The values in order; read once.
    ///   - encoder: The encoder of values; line breaks in its output become spaces.
    public static func jsonLines<Values: AsyncSequence & Sendable>(
        _ values: Values, encoder: JSONEncoder = .moyaDefault
    ) -> UploadStream where Values.Element: Encodable & Sendable {
        UploadStream(contentType: JSONLine.contentType, isRepeatable: false) { iteration in
            try await iteration.send(values) { try JSONLine.data(of: $0, by: encoder) }
        }
    }

    /// Makes a body of JSON Lines: one value per line, encoded when the transport requests it.
    ///
    /// The request gets the `Content-Type` `application/jsonl`, unless it sets another one, such as
    /// `application/x-ndjson`.
    ///
    /// - Parameters:
    ///   - encoder: The encoder of values; line breaks in its output become spaces.
    ///   - makeValues: Makes the sequence of the values for each attempt; runs in the task of the iteration.
    public static func jsonLines<Values: AsyncSequence & Sendable>(
        encoder: JSONEncoder = .moyaDefault, making makeValues: @escaping @Sendable () async throws -> Values
    ) -> UploadStream where Values.Element: Encodable & Sendable {
        UploadStream(contentType: JSONLine.contentType, isRepeatable: true) { iteration in
            try await iteration.send(makeValues()) { try JSONLine.data(of: $0, by: encoder) }
        }
    }

    private init(
        length: Int64? = nil, contentType: String? = nil, isRepeatable: Bool,
        run: @escaping @Sendable (UploadIteration) async throws -> Void
    ) {
        self.length = length
        self.contentType = contentType
        self.isRepeatable = isRepeatable
        self.run = run
    }

    /// The identity: two streams are equal if they read the same sequence.
    package var id: ObjectIdentifier { ObjectIdentifier(use) }

    /// Adds the type of the body to a request, unless it has one.
    package func complete(_ request: inout URLRequest) {
        if let contentType { request.setContentTypeIfMissing(contentType) }
    }

    /// `true` if the sequence was read, and cannot be read again.
    var isSpent: Bool { !isRepeatable && use.hasBegun.value }

    /// Reads the sequence into an iteration, from its first element.
    ///
    /// - Throws: ``UploadStreamError/wasRead``, an error of the sequence or of its encoder.
    func read(into iteration: UploadIteration) async throws {
        guard !use.hasBegun.exchange(true) || isRepeatable else { throw UploadStreamError.wasRead }
        try await run(iteration)
    }
}

/// Records that a sequence was read, for all copies of an ``UploadStream``.
private final class UploadStreamUse: Sendable {
    let hasBegun = Lock(false)
}

extension UploadIteration {
    /// Reads a sequence, one element each time that the transport requests one.
    fileprivate func send<Elements: AsyncSequence>(
        _ elements: Elements, as data: (Elements.Element) throws -> Data
    ) async throws {
        var iterator = elements.makeAsyncIterator()
        while let element = try await iterator.next() {
            guard try await offer(data(element)) else {
                // In a cancelled task, this tells a sequence such as `AsyncStream` that the iteration has ended.
                _ = try await iterator.next()
                return
            }
        }
    }
}

/// A value as a line of JSON Lines (jsonlines.org).
private enum JSONLine {
    static let contentType = "application/jsonl"

    static func data(of value: some Encodable, by encoder: JSONEncoder) throws -> Data {
        var line = try encoder.encodeParameters(value)
        // Within JSON, line breaks are white space: strings escape them (RFC 8259 section 7).
        if line.contains(where: isLineBreak) { line = Data(line.lazy.map { isLineBreak($0) ? UInt8(ascii: " ") : $0 }) }
        line.append(UInt8(ascii: "\n"))
        return line
    }

    private static func isLineBreak(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }
}
