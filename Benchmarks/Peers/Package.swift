// swift-tools-version: 6.1
import Foundation
import PackageDescription

// Separate from Benchmarks, which must build where these clients cannot be fetched.
guard let folder = Context.environment["ASYNC_HTTP_CLIENT"] else {
    fatalError("ASYNC_HTTP_CLIENT is not set: it names a folder with the package of AsyncHTTPClient")
}
let client = Target.Dependency.product(
    name: "AsyncHTTPClient", package: URL(fileURLWithPath: folder).lastPathComponent)
// SwiftNIO's modules are imported without a dependency on its package: only AsyncHTTPClient's manifest knows its location.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "MoyaBenchmarkPeers",
    dependencies: [.package(path: folder)],
    targets: [
        .target(name: "CMeasure", cSettings: [.define("_GNU_SOURCE")]),
        .executableTarget(name: "peer-bench", dependencies: ["CMeasure", client], swiftSettings: settings),
        .executableTarget(name: "start-asynchttpclient", dependencies: [client], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
