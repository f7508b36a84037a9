/// A key of a coding path that no type declares.
enum PathKey: CodingKey {
    /// The index of an element.
    case index(Int)
    /// The standard library's name for a separately encoded superclass.
    case superclass

    init?(stringValue: String) { nil }
    init?(intValue: Int) { self = .index(intValue) }

    var stringValue: String { if case .index(let index) = self { "Index \(index)" } else { "super" } }
    var intValue: Int? { if case .index(let index) = self { index } else { nil } }
}
