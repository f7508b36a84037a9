import Foundation

/// A queue on which a closure can check that it runs there.
struct MarkedQueue: Sendable {
    private static let key = DispatchSpecificKey<String>()

    let queue: DispatchQueue
    private let name: String

    /// The main queue, which need not run on the main thread while tests do.
    static let main = MarkedQueue("main", .main)

    init(_ name: String) { self.init(name, DispatchQueue(label: name)) }

    private init(_ name: String, _ queue: DispatchQueue) {
        self.name = name
        self.queue = queue
        queue.setSpecific(key: Self.key, value: name)
    }

    /// `true` if the calling code runs on the queue.
    var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.key) == name }
}
