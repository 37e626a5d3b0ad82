import GameCore
import RangersClient

// Spectators: people who watch a party by its link, with or without an account.
extension Game {
    /// Opens the party to everyone who gets the link; if it is open, this brings the same link.
    func openToSpectators() async {
        await attempt {
            guard let player = Session.player, let party else { return }
            spectatorsLink = DeepLink.url(ofPartyWith: try await player.openToSpectators(party.partyID).link)
        }
    }

    /// Closes the party to spectators; the link is worth nothing any more.
    func closeToSpectators() async {
        await attempt {
            guard let player = Session.player, let party else { return }
            try await player.closeToSpectators(party.partyID)
            spectatorsLink = nil
        }
    }

    /// Watches a party.
    /// - Parameter text: its link, as a person has opened or pasted it.
    func watch(_ text: String) {
        let link = DeepLink.spectatorsLink(in: text)
        guard !link.isEmpty else { return }
        Keychain["watched"] = link
        (watchedLink, watched, watchedEvents) = (link, nil, [])
    }

    /// Follows the party that this person watches while its screen is shown.
    func followWatchedParty(_ link: String) async {
        await attempt {
            try await Session.server.follow(link) { party, event in
                guard watchedLink == link else { return }
                watched = party
                guard let event else { return }
                if event.sequence == 1 { watchedEvents = [] }
                watchedEvents.append(event)
            }
        }
    }

    /// Whether a Live Activity of the watched adventure can be started: APNs creates its channel seconds after its start.
    var canFollowWatchedParty: Bool {
        watched?.adventure != nil && watched?.channels[Self.environment.rawValue] != nil
    }

    /// Shows the watched adventure in a Live Activity.
    func followWatchedPartyOnLockScreen() async {
        await attempt {
            if let watched { try LiveActivities.follow(watched, in: Self.environment) }
        }
    }

    /// Leaves the watched party, and removes its Live Activity.
    func stopWatching() async {
        Keychain["watched"] = nil
        (watchedLink, watched, watchedEvents) = (nil, nil, [])
        problem = nil
        await LiveActivities.endSpectators()
    }
}
