extension Endpoint: Equatable, Hashable {
    /// `true` if both send the same request: URL, method, header fields, and body, file or form.
    ///
    /// No header fields and an empty dictionary are equal. Samples and destinations are ignored.
    public static func == (lhs: Endpoint, rhs: Endpoint) -> Bool {
        lhs === rhs || EndpointKey(lhs) == EndpointKey(rhs)
    }

    /// Hashes the parts that equality compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(EndpointKey(self)) }
}
