package import Foundation
package import MoyaTransport

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// A response as the cache keeps it, and what must be known of the request that it answered.
package struct StoredResponse: Sendable {
    /// The URL of the response.
    package var url: URL
    /// The status and the fields, without those that are about one connection or one client.
    package var head: TransportResponseHead
    /// The body, decoded.
    package var body: Data
    /// The time of the request; `nil` where it was not stored by this engine.
    package var requested: Date?
    /// The time of arrival.
    package var received: Date?
    /// The values of the request's fields that the response varies by, by their names in lower case.
    package var variants: [String: String]
    /// A fingerprint of the credential of the request; `nil` for none.
    package var credential: Int?

    package init(
        url: URL, head: TransportResponseHead, body: Data, requested: Date? = nil, received: Date? = nil,
        variants: [String: String] = [:], credential: Int? = nil
    ) {
        self.url = url
        self.head = head
        self.body = body
        self.requested = requested
        self.received = received
        self.variants = variants
        self.credential = credential
    }

    // MARK: As Foundation has it

    private enum Key {
        static let requested = "MoyaRequested"
        static let received = "MoyaReceived"
        static let variants = "MoyaVariants"
        static let credential = "MoyaCredential"
    }

    /// Reads what a `URLCache` kept; `nil` where it is no response of HTTP.
    package init?(_ cached: CachedURLResponse) {
        guard let response = cached.response as? HTTPURLResponse, let url = response.url else { return nil }
        var fields: [HTTPField] = []
        for case (let name as String, let value as String) in response.allHeaderFields {
            fields.append(HTTPField(name: name, value: value))
        }
        self.init(url: url, head: TransportResponseHead(status: response.statusCode, fields: fields), body: cached.data)
        guard let notes = cached.userInfo else { return }
        requested = (notes[Key.requested] as? Double).map(Date.init(timeIntervalSince1970:))
        received = (notes[Key.received] as? Double).map(Date.init(timeIntervalSince1970:))
        variants = notes[Key.variants] as? [String: String] ?? [:]
        credential = notes[Key.credential] as? Int
    }

    /// The same for a `URLCache`.
    package var cached: CachedURLResponse? {
        HTTPURLResponse(head: head, url: url).map {
            CachedURLResponse(response: $0, data: body, userInfo: notes, storagePolicy: .allowed)
        }
    }

    /// The notes that a `URLCache` keeps beside the response.
    package var notes: [AnyHashable: Any] {
        var notes: [AnyHashable: Any] = [Key.variants: variants]
        notes[Key.requested] = requested?.timeIntervalSince1970
        notes[Key.received] = received?.timeIntervalSince1970
        notes[Key.credential] = credential
        return notes
    }
}
