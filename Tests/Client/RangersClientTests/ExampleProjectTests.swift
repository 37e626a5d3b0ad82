import TestSupport
import Testing

/// The project of `Examples/EmojiRangers`, which only Xcode builds.
@Suite struct ExampleProjectTests {
    @Test func `Xcode embeds the extension, whose identifier begins with that of the app`() throws {
        let project = try ProjectFiles.text("Examples/EmojiRangers/project.yml")
        #expect(project.contains("PRODUCT_BUNDLE_IDENTIFIER: $(APP_IDENTIFIER)\n"))
        #expect(project.contains("PRODUCT_BUNDLE_IDENTIFIER: $(APP_IDENTIFIER).Widgets\n"))
    }

    @Test(arguments: [
        "NSSupportsLiveActivities", "NSSupportsLiveActivitiesFrequentUpdates", "NSAllowsLocalNetworking",
        "RangersServer",
        "emojirangers",
    ]) func `the documentation names what the app's Info.plist needs`(key: String) throws {
        #expect(try ProjectFiles.text("Examples/EmojiRangers/project.yml").contains(key))
        #expect(try ProjectFiles.text("docs/client.md").contains(key))
    }
}
