public import Foundation

/// Forwards every event to several monitors, each on its own queue.
public final class CompositeEventMonitor: EventMonitor {
    /// The monitors, in the order in which they are notified.
    public let monitors: [any EventMonitor]
    /// An unused serial queue: each monitor has its own.
    public let queue: DispatchQueue

    /// Makes a monitor from others.
    public init(monitors: [any EventMonitor]) {
        self.monitors = monitors
        queue = DispatchQueue(label: "org.moya.events")
    }

    /// Forwards the event asynchronously.
    public func receive(_ event: RequestEvent, of request: Request) {
        for monitor in monitors {
            // A composite has no user callbacks, so one hop is sufficient.
            if let composite = monitor as? CompositeEventMonitor {
                composite.receive(event, of: request)
            } else {
                monitor.queue.async { monitor.receive(event, of: request) }
            }
        }
    }
}
