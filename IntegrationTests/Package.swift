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
        // A program that makes calls on command, where a test is not itself: in another network, alone in its process.
        .target(
            name: "CallOrders", dependencies: [.product(name: "Moya", package: "Moya")], swiftSettings: settings),
        .executableTarget(name: "caller", dependencies: ["CallOrders"], swiftSettings: settings),
        // The program of `make soak`: very many calls, and the memory that they leave behind.
        .target(name: "CHeap"),
        .executableTarget(
            name: "moya-soak", dependencies: ["CHeap", .product(name: "Moya", package: "Moya")],
            swiftSettings: settings),
        // The program of `make cache-tests`: the public suite for caches, against a session with a cache.
        .executableTarget(
            name: "cache-tests", dependencies: [.product(name: "Moya", package: "Moya")], swiftSettings: settings),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [.product(name: "Moya", package: "Moya"), "CallOrders", "TrustMatrix", "caller"],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
