import Foundation

/// How a helper process tells its port, and learns that it is no longer needed.
enum ReadyLine {
    static func print(port: Int) {
        // Not `print`, which keeps what it has while the output is no terminal. Who does not read it does not wait for it.
        try? FileHandle.standardOutput.write(contentsOf: Data("\(port)\n".utf8))
    }

    /// Returns when whoever started this process has closed its input, or is gone.
    static func awaitEndOfInput() {
        while !FileHandle.standardInput.availableData.isEmpty {}
    }
}
