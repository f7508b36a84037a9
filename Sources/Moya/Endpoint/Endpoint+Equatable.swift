extension Endpoint: Equatable, Hashable {
    /// `true` if the two send the same: URL, method, header fields, body, file or form.
    ///
    /// No header fields and an empty dictionary of them are the same. Samples and destinations do not count.
    public static func == (lhs: Endpoint, rhs: Endpoint) -> Bool {
        lhs === rhs || EndpointKey(lhs) == EndpointKey(rhs)
    }

    /// Feeds what equality compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(EndpointKey(self)) }
}
