extension [String: String] {
    /// `true` if two keys differ only in case, so that they are the name of one header field (RFC 9110 section 5.1).
    package var hasNamesDifferingInCase: Bool {
        guard count > 1 else { return false }
        // Comparing the names of all pairs would cost more than the rest of a request.
        let mayHave = withUnsafeTemporaryAllocation(of: Int.self, capacity: count) { outlines in
            var index = 0
            for (name, _) in self {
                let outline = ASCII.outline(of: name)
                for other in 0..<index where outlines[other] == outline { return true }
                outlines[index] = outline
                index += 1
            }
            return false
        }
        return mayHave && Set(keys.map { $0.lowercased() }).count < count
    }
}
