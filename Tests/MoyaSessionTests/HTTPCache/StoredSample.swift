import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

/// Responses whose bytes identify them, for stores that other code writes to or damages.
enum StoredSample {
    /// A response with a body of so many bytes; the fields state the number and the length.
    static func response(_ url: String, _ number: Int, count: Int, in store: any CacheStore) -> CachedResponse? {
        let writer = store.makeBody()
        guard body(url, number, count).withUnsafeBytes({ writer.append($0) }), let body = writer.finish() else {
            writer.discard()
            return nil
        }
        return CachedResponse(
            url: url, status: 200,
            fields: [HTTPField(name: "N", value: "\(number)"), HTTPField(name: "C", value: "\(count)")],
            requested: Double(number), received: Double(number), body: body)
    }

    static func body(_ url: String, _ number: Int, _ count: Int) -> Data {
        var data = Data("\(url) \(number);".utf8)
        while data.count < count { data.append(data) }
        return data.prefix(count)
    }

    /// The number of a response that is there as a whole; `nil` where it cannot be read.
    ///
    /// - Throws: ``WrongBody`` where other bytes are delivered than were stored.
    static func number(of response: CachedResponse) throws -> Int? {
        guard let number = response.fields.values(for: "n").first.flatMap({ Int($0) }),
            let count = response.fields.values(for: "c").first.flatMap({ Int($0) })
        else { throw WrongBody() }
        var hit = CacheHit(response: response)
        guard hit.open() else { return nil }
        let sink = deliver(hit)
        guard sink.failure == nil else { return nil }
        guard sink.ends == 1, sink.body == body(response.url, number, count) else { throw WrongBody() }
        return number
    }

    /// Delivers the body of an opened response, without a network.
    static func deliver(_ hit: CacheHit) -> RecordingSink {
        var request = HTTPRequest(method: "GET", url: hit.response.url)
        request.isOffline = true
        let sink = RecordingSink()
        let cache = HTTPCache.memory()
        StoredBodyDelivery(
            hit, of: CacheRequest(request) { $0 }, over: SteppedTransport(), cache: cache, to: sink
        ).start()
        cache.queue.sync(flags: .barrier) {}
        return sink
    }

    struct WrongBody: Error {}
}
