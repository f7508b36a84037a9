/// What follows a layer: the layers after it and, last, the session.
public struct Next: Sendable {
    /// Ends the list of layers.
    typealias Sending = @Sendable (Call) async throws(MoyaError) -> Response

    private let layers: [any Layer]
    private let position: Int
    private let sending: Sending

    /// Makes an end of a list, for tests of a layer.
    ///
    /// - Parameter answer: Stands in for the session and for all layers between.
    public init(_ answer: @escaping @Sendable (Call) async throws(MoyaError) -> Response) {
        self.init(layers: [], sending: answer)
    }

    init(layers: [any Layer], sending: @escaping Sending) {
        self.init(layers: layers, position: 0, sending: sending)
    }

    private init(layers: [any Layer], position: Int, sending: @escaping Sending) {
        self.layers = layers
        self.position = position
        self.sending = sending
    }

    /// Passes a call on, and returns its response.
    ///
    /// - Throws: `MoyaError`; once the task is cancelled, ``MoyaError/cancelled`` without anything being sent.
    public func callAsFunction(_ call: Call) async throws(MoyaError) -> Response {
        if _Concurrency.Task.isCancelled { throw .cancelled }
        guard position < layers.count else { return try await sending(call) }
        return try await layers[position].intercept(
            call, next: Next(layers: layers, position: position + 1, sending: sending))
    }
}
