/// Comparisons of entity tags (RFC 9110 section 8.8.3).
enum EntityTag {
    /// `true` if a tag is strong (RFC 9110 section 8.8.1); one without quotes is no tag.
    static func isStrong(_ tag: String) -> Bool { tag.hasPrefix("\"") && tag.utf8.count > 1 }

    /// `true` if two tags are equal, whether they are weak or strong (RFC 9110 section 8.8.3.2).
    static func areWeaklyEqual(_ one: String, _ other: String) -> Bool { opaque(one) == opaque(other) }

    private static func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
}
