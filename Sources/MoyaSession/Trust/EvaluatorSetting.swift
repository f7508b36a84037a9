import Foundation

/// What an evaluator was made with, read once; something unreadable is told at every evaluation.
enum EvaluatorSetting {
    /// What the values hold, taken together.
    ///
    /// - Parameters:
    ///   - name: How the values are called in the evaluator's initializer.
    ///   - problem: What is wrong with a value in which `read` finds nothing.
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

    /// The contents of files, for an evaluator that is made of them.
    static func contents(of files: [URL], for name: String) throws(SessionError) -> [Data] {
        var contents: [Data] = []
        for file in files {
            guard let content = FileManager.default.contents(atPath: file.path) else {
                throw .serverTrustEvaluationFailed(
                    reason: .invalidEvaluator(
                        setting: name, problem: "names the file \(file.path), which cannot be read"))
            }
            contents.append(content)
        }
        return contents
    }
}
