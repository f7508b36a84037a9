package import Dispatch

/// A queue on which code can check that it runs there.
package struct MarkedQueue: Sendable {
    private static let key = DispatchSpecificKey<String>()

    package let name: String
    package let queue: DispatchQueue

    /// The main queue, which need not run on the main thread while tests do.
    package static let main = MarkedQueue("main", .main)

    package init(_ name: String) { self.init(name, DispatchQueue(label: name)) }

    private init(_ name: String, _ queue: DispatchQueue) {
        self.name = name
        self.queue = queue
        queue.setSpecific(key: Self.key, value: name)
    }

    /// The name of the marked queue that the calling code runs on; empty on another queue.
    package static var currentName: String { DispatchQueue.getSpecific(key: key) ?? "" }

    /// `true` if the calling code runs on the queue.
    package var isCurrent: Bool { Self.currentName == name }
}
