// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "MoyaIntegrationTests",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Moya", path: "..")],
    targets: [
        // Every bad server with every evaluator: what `make trust` prints, and a test each.
        .target(
            name: "TrustMatrix", dependencies: [.product(name: "Moya", package: "Moya")], swiftSettings: settings),
        .executableTarget(name: "trust-matrix", dependencies: ["TrustMatrix"], swiftSettings: settings),
        // What `make soak` runs: very many calls, and what they leave behind.
        .target(name: "CHeap"),
        .executableTarget(
            name: "moya-soak", dependencies: ["CHeap", .product(name: "Moya", package: "Moya")],
            swiftSettings: settings),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [.product(name: "Moya", package: "Moya"), "TrustMatrix"],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
