#if os(Linux)
import Foundation
import Testing

@testable import MoyaSession

/// In a process of its own, which has loaded nothing before libcurl.
@Suite struct PublicSuffixLibraryTests {
    /// libcurl's bit for libpsl (`CURL_VERSION_PSL`).
    private static let hasList: Bool = {
        // The first fields of `curl_version_info_data`: age, version, number, host, features.
        typealias Info = @convention(c) (CInt) -> UnsafeRawPointer?
        guard let library = dlopen("libcurl.so.4", RTLD_NOW), let symbol = dlsym(library, "curl_version_info"),
            let info = unsafeBitCast(symbol, to: Info.self)(0)
        else { return false }
        return info.load(fromByteOffset: 32, as: CInt.self) & 1 << 20 != 0
    }()

    @Test(.enabled(if: hasList, "this libcurl was built without libpsl"))
    func theListOfLibpslIsUsedWhereLibcurlHasIt() async {
        await #expect(processExitsWith: .success) {
            try #require(PublicSuffixLibraryTests.hasList)
            let library = try #require(PublicSuffixLibrary.loaded)
            #expect(library.isPublicSuffix("co.uk"))
            #expect(!library.isPublicSuffix("example.co.uk"))
        }
    }
}
#endif
