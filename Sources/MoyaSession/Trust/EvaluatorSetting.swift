import Foundation
import MoyaTransport

/// The settings of an evaluator, read once; an unreadable one fails every evaluation.
enum EvaluatorSetting {
    /// Combines the contents of the values.
    ///
    /// - Parameters:
    ///   - name: The name of the values in the evaluator's initializer.
    ///   - problem: The description of a value in which `read` finds nothing.
    static func read(
        _ values: [Data], named name: String, problem: String, with read: (Data) -> [Data]?
    ) -> Result<[Data], SessionError> {
        var all: [Data] = []
        for (index, value) in values.enumerated() {
            guard let found = read(value) else {
                return .failure(
                    .serverTrustEvaluationFailed(
                        reason: .invalidEvaluator(setting: "\(name)[\(index)]", problem: problem)))
            }
            all += found
        }
        return .success(all)
    }

    /// The contents of files, for an evaluator made from them.
    static func contents(of files: [URL], for name: String) throws(SessionError) -> [Data] {
        var contents: [Data] = []
        for file in files {
            do throws(RegularFile.Refusal) {
                contents.append(try RegularFile.contents(of: file))
            } catch {
                throw .serverTrustEvaluationFailed(
                    reason: .invalidEvaluator(setting: name, problem: "names the file \(file.path), which \(error)"))
            }
        }
        return contents
    }
}
