#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The Public Suffix List of libpsl, where libcurl has brought that library into the process.
///
/// Distributions update its list. Nothing is loaded for it: without it the table of the build decides alone.
///
/// `@unchecked`: the list is read only, and libpsl lets threads share it.
struct PublicSuffixLibrary: @unchecked Sendable {
    /// The library of this process; `nil` where there is none.
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
