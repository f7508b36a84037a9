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
        // Combines every bad server with every evaluator: printed by `make trust`, and one test each.
        .target(
            name: "TrustMatrix", dependencies: [.product(name: "Moya", package: "Moya")], swiftSettings: settings),
        .executableTarget(name: "trust-matrix", dependencies: ["TrustMatrix"], swiftSettings: settings),
        // A program that makes calls on command, in another network or in its own process.
        .target(
            name: "CallOrders", dependencies: [.product(name: "Moya", package: "Moya")], swiftSettings: settings),
        .executableTarget(name: "caller", dependencies: ["CallOrders"], swiftSettings: settings),
        // The program of `make soak`, which makes very many calls and checks for leaks.
        .target(name: "CHeap"),
        .executableTarget(
            name: "moya-soak", dependencies: ["CHeap", .product(name: "Moya", package: "Moya")],
            swiftSettings: settings),
        // The program of `make cache-tests`, which runs the public suite for caches with a session.
        .executableTarget(
            name: "cache-tests", dependencies: [.product(name: "Moya", package: "Moya")], swiftSettings: settings),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [.product(name: "Moya", package: "Moya"), "CallOrders", "TrustMatrix", "caller"],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
