/// The version of the package, the only place that states it.
package enum MoyaVersion {
    /// The version, as Semantic Versioning spells it.
    package static let current = "1.0.0-alpha.1"
}
