import MoyaTransport

extension [HTTPField] {
    /// The values of the fields with a name, ignoring case.
    func values(for name: String) -> [String] {
        filter { ASCII.equalIgnoringCase($0.name, name) }.map(\.value)
    }

    /// `true` if there is a field with a name, ignoring case.
    func contains(_ name: String) -> Bool { contains { ASCII.equalIgnoringCase($0.name, name) } }

    /// Replaces every field with a name, ignoring case, with one.
    mutating func set(_ name: String, _ value: String) {
        remove(name)
        append(HTTPField(name: name, value: value))
    }

    /// Removes every field with a name, ignoring case.
    mutating func remove(_ name: String) { removeAll { ASCII.equalIgnoringCase($0.name, name) } }
}
