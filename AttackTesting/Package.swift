// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "MoyaAttackTesting",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Moya", path: "..")],
    targets: [
        .executableTarget(
            name: "moya-attack",
            dependencies: [.product(name: "Moya", package: "Moya")],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
