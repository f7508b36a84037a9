// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "MoyaExamples",
    platforms: [.macOS(.v13)],
    products: [
        .executable(name: "moya-github", targets: ["moya-github"]),
        .executable(name: "moya-session", targets: ["moya-session"]),
        .executable(name: "moya-chat", targets: ["moya-chat"]),
    ],
    dependencies: [.package(name: "Moya", path: "..")],
    targets: [
        // The targets: what the API is. Nothing here knows of a command line.
        .target(
            name: "GitHubAPI", dependencies: [.product(name: "Moya", package: "Moya")], swiftSettings: settings),
        // The program that calls them.
        .executableTarget(
            name: "moya-github",
            dependencies: ["GitHubAPI", .product(name: "Moya", package: "Moya")],
            swiftSettings: settings),
        // A session that outlives its tokens.
        .executableTarget(
            name: "moya-session", dependencies: [.product(name: "Moya", package: "Moya")], swiftSettings: settings),
        // A conversation whose words are shown as they come.
        .executableTarget(
            name: "moya-chat", dependencies: [.product(name: "Moya", package: "Moya")], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
