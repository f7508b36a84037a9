import Foundation
import GitHubAPI

/// Prints results, as lines for people or as one JSON value for programs.
struct Output {
    let isJSON: Bool

    func show(zen: String) {
        isJSON ? showJSON(["zen": zen]) : print(zen)
    }

    func show(_ user: User) {
        if isJSON { return showJSON(user) }
        print("\(user.login) (\(user.name ?? "no name"))")
        print("  location      \(user.location ?? "not told")")
        print("  repositories  \(user.repositoryCount)")
        print("  followers     \(user.followers)")
        print("  page          \(user.page)")
    }

    func show(_ repositories: [Repository]) {
        if isJSON { return showJSON(repositories) }
        for repository in repositories {
            let marks = [repository.language, repository.isFork ? "fork" : nil].compactMap { $0 }
            let suffix = marks.isEmpty ? "" : " (\(marks.joined(separator: ", ")))"
            print("\(repository.fullName)  \(repository.stars) stars\(suffix)")
            if let description = repository.description { print("  \(description)") }
        }
    }

    /// Prints an event when it arrives; as JSON, one per line.
    func show(_ event: Event) {
        guard isJSON else { return write("\(event.id)  \(event.type)  \(event.repositoryName)") }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(event) else { return }
        write(String(decoding: data, as: UTF8.self))
    }

    /// Writes a line at once, also if standard output is not a terminal.
    private func write(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    func show(_ receipt: Receipt) {
        if isJSON { return showJSON(ReceiptSummary(receipt)) }
        print("received by \(receipt.url)")
        print("  type    \(receipt.contentType ?? "not told")")
        print("  length  \(receipt.contentLength.map { "\($0) bytes" } ?? "not told")")
        if !receipt.fieldNames.isEmpty { print("  fields  \(receipt.fieldNames.joined(separator: ", "))") }
        if !receipt.fileNames.isEmpty { print("  files   \(receipt.fileNames.joined(separator: ", "))") }
    }

    func show(downloaded file: URL, status: Int) {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        let size = (attributes?[.size] as? NSNumber)?.intValue
        if isJSON { return showJSON(DownloadSummary(file: file.path, bytes: size, status: status)) }
        print(size.map { "\(file.path): \($0) bytes" } ?? "\(file.path): nothing was written (sample data)")
    }

    private func showJSON(_ value: some Encodable) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else { return }
        print(String(decoding: data, as: UTF8.self))
    }
}

private struct ReceiptSummary: Encodable {
    let url: String
    let contentType: String?
    let contentLength: String?
    let fields: [String]
    let files: [String]

    init(_ receipt: Receipt) {
        url = receipt.url
        contentType = receipt.contentType
        contentLength = receipt.contentLength
        fields = receipt.fieldNames
        files = receipt.fileNames
    }
}

private struct DownloadSummary: Encodable {
    let file: String
    let bytes: Int?
    let status: Int
}
