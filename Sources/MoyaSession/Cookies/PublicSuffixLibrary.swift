#if os(Linux)
import Glibc

/// The Public Suffix List of libpsl, if libcurl has loaded that library.
///
/// Distributions update its list. The library is never loaded for this purpose: without it, only the built-in table is
/// used.
///
/// `@unchecked`: the list is immutable, and libpsl allows concurrent reads.
struct PublicSuffixLibrary: @unchecked Sendable {
    /// The library of this process, or `nil`.
    static let loaded = PublicSuffixLibrary()

    private typealias Latest = @convention(c) (UnsafePointer<CChar>?) -> OpaquePointer?
    private typealias IsPublicSuffix = @convention(c) (OpaquePointer?, UnsafePointer<CChar>) -> CInt

    private let list: OpaquePointer
    private let isPublicSuffix: IsPublicSuffix

    private init?() {
        guard let library = dlopen("libpsl.so.5", RTLD_LAZY | RTLD_NOLOAD), let latest = dlsym(library, "psl_latest"),
            let isPublicSuffix = dlsym(library, "psl_is_public_suffix"),
            let list = unsafeBitCast(latest, to: Latest.self)(nil)
        else { return nil }
        self.list = list
        self.isPublicSuffix = unsafeBitCast(isPublicSuffix, to: IsPublicSuffix.self)
    }

    /// `true` if a domain, in lower case and ASCII, is a suffix.
    func isPublicSuffix(_ domain: String) -> Bool { isPublicSuffix(list, domain) == 1 }
}
#endif
