/// The version of the package, written here and nowhere else.
package enum MoyaVersion {
    /// The version, as Semantic Versioning spells it.
    package static let current = "1.0.0-alpha.1"
}
