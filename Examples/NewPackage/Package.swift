// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "FirstCall",
    platforms: [.macOS(.v13), .iOS(.v16)],
    dependencies: [.package(name: "Moya", path: "../Moya")],
    targets: [
        .executableTarget(name: "FirstCall", dependencies: [.product(name: "Moya", package: "Moya")])
    ]
)
