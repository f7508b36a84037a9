import MoyaTransport

extension [HTTPField] {
    /// The values of the fields of a name, compared without regard to case.
    func values(for name: String) -> [String] {
        filter { ASCII.equalIgnoringCase($0.name, name) }.map(\.value)
    }

    /// `true` if there is a field of a name, compared without regard to case.
    func contains(_ name: String) -> Bool { contains { ASCII.equalIgnoringCase($0.name, name) } }

    /// Replaces every field of a name, compared without regard to case, by one.
    mutating func set(_ name: String, _ value: String) {
        remove(name)
        append(HTTPField(name: name, value: value))
    }

    /// Removes every field of a name, compared without regard to case.
    mutating func remove(_ name: String) { removeAll { ASCII.equalIgnoringCase($0.name, name) } }
}
