import CommandLineSupport
import Foundation
import GameCore
import RangersClient

extension RaidResponse: HumanReadable {
    func lines(fitting width: Int?, paint: Paint) -> [String] {
        let facts = facts.flatMap { label, text in
            Paragraph(beginning: label.padding(toLength: 10, withPad: " ", startingAt: 0), text: text)
                .lines(fitting: width)
        }
        return dryRun == true ? ["Nothing was changed. The raid would be:"] + facts : facts
    }

    /// A short description for confirmations.
    var summary: String {
        Printable.text(
            "the raid against \(boss.name) with \(HealthBar.numbers(boss.health, of: boss.maximumHealth)) health and "
                + "\(partiesText), without a reward"
        )
    }

    private var partiesText: String { "\(parties) \(parties == 1 ? "party" : "parties")" }

    private var facts: [(label: String, text: String)] {
        // A dry run's identifier is no raid's.
        var facts = dryRun == true ? [] : [("Raid", "\(raidID)")]
        let phase = boss.phase > 1 ? ", enraged, phase \(boss.phase)" : ""
        facts += [
            ("Boss", "\(boss.avatar) \(boss.name) \(HealthBar.text(boss.health, of: boss.maximumHealth))\(phase)"),
            ("State", "\(state.rawValue), round \(round), \(partiesText), damage \(damage)"),
        ]
        if let biggestBlow { facts.append(("Biggest", text(of: biggestBlow))) }
        if let finishingBlow { facts.append(("Finishing", text(of: finishingBlow))) }
        if regions.count < RegionCatalogue.all.count {
            facts.append(("Regions", regions.map(\.rawValue).joined(separator: ", ")))
        }
        facts.append(("Starts", startsAt.utcText))
        facts.append(("Ends", endsAt.utcText + " at the latest"))
        if let endedAt { facts.append(("Ended", endedAt.utcText)) }
        if let waitingFor, !waitingFor.isEmpty { facts.append(("Waits for", Self.shards(waitingFor))) }
        return facts
    }

    private func text(of blow: Blow) -> String {
        "\(blow.damage) at \(blow.at.utcText), adventure \(blow.adventureID)"
    }

    fileprivate static func shards(_ shards: [Int]) -> String {
        let shown = shards.prefix(8).map(String.init).joined(separator: ", ")
        let rest = shards.count > 8 ? " and \(shards.count - 8) more" : ""
        return "\(shards.count == 1 ? "shard" : "shards") \(shown)\(rest)"
    }
}

extension RaidList: HumanReadable {
    func lines(fitting width: Int?, paint: Paint) -> [String] {
        guard !raids.isEmpty else { return ["No raids."] }
        let table = table(HealthBar.text)
        return (table.fits(width) ? table : self.table(HealthBar.numbers)).lines(fitting: width, paint: paint)
    }

    private func table(_ health: (Int, _ maximum: Int) -> String) -> Table {
        Table(
            [
                .whole("RAID"), .init("BOSS"), .init("STATE"), .init("HEALTH"), .init("PHASE", isNumber: true),
                .init("ROUND", isNumber: true), .init("PARTIES", isNumber: true), .init("WAITS FOR"),
                .whole("STARTS"),
            ],
            rows: raids.map { raid in
                [
                    "\(raid.raidID)", "\(raid.boss.avatar) \(raid.boss.name)", raid.state.rawValue,
                    health(raid.boss.health, raid.boss.maximumHealth), "\(raid.boss.phase)", "\(raid.round)",
                    "\(raid.parties)", raid.waitingFor.map { $0.isEmpty ? "" : RaidResponse.shards($0) } ?? "",
                    raid.startsAt.utcText,
                ]
            }
        )
    }
}
