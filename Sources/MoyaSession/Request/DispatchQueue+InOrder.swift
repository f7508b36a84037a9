package import Dispatch

extension DispatchQueue {
    /// Makes a queue that runs its blocks on another queue one after the other, though that may be concurrent.
    package convenience init(inOrderOn queue: DispatchQueue) { self.init(label: queue.label, target: queue) }
}
