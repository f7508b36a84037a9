public import Foundation

/// Hands every event to several monitors, each on its own queue.
public final class CompositeEventMonitor: EventMonitor {
    /// The monitors, in the order in which they are notified.
    public let monitors: [any EventMonitor]
    /// A serial queue that nothing runs on: each monitor has its own.
    public let queue: DispatchQueue

    /// Makes a monitor of others.
    public init(monitors: [any EventMonitor]) {
        self.monitors = monitors
        queue = DispatchQueue(label: "org.moya.events")
    }

    /// Hands the event on, and returns before it was heard.
    public func receive(_ event: RequestEvent, of request: Request) {
        for monitor in monitors {
            // A composite has no callbacks for users, and one hop is enough.
            if let composite = monitor as? CompositeEventMonitor {
                composite.receive(event, of: request)
            } else {
                monitor.queue.async { monitor.receive(event, of: request) }
            }
        }
    }
}
