// The game behind the phones: its API, its parties with their invite codes, and for idle parties the command that starts a
// boss fight.

import * as api from "/page/api.js";
import { copyable } from "/page/copyable.js";
import { element, setText, syncChildren } from "/page/dom.js";

export class Game {
  /** `links` gets a link to the server's API. */
  constructor(panel, links) {
    this.panel = panel;
    this.links = links;
    this.rows = new WeakMap();
    this.list = panel.querySelector("#parties");
    this.codes = panel.querySelector("#invite-codes");
    this.none = panel.querySelector(".none");
  }

  /** Shows the panel and the link, if the simulator has a game server. */
  async load() {
    const { server, bosses = [] } = await api.players();
    if (this.server || !server) return;
    this.server = server;
    this.bosses = bosses;
    this.links.prepend(
      element("a", { href: new URL("docs", server).href }, "Game API"),
      element("a", { href: "/raid" }, "Raid"),
    );
    this.panel.hidden = false;
    await this.update();
  }

  /** Shows the parties of the phones' Live Activities and players. */
  async update() {
    if (!this.server) return;
    let parties = [];
    try {
      parties = await api.parties();
      setText(this.none, "No phone shows a party or has a player.");
    } catch (error) {
      setText(this.none, error.message);
    }
    this.none.hidden = parties.length > 0;
    syncChildren(
      this.list,
      parties,
      () => {
        const row = new PartyRow(this.server, this.bosses);
        this.rows.set(row.node, row);
        return row.node;
      },
      (node, party) => this.rows.get(node).update(party),
    );
    const known = [...this.codes.children].map(({ value }) => value).join();
    if (known === parties.map(({ inviteCode }) => inviteCode).join()) return;
    this.codes.replaceChildren(...parties.map(({ inviteCode, name }) => element("option", { value: inviteCode }, name)));
  }
}

/** A party with its invite code, and, if it is idle, the command with which an operator starts a boss fight. */
class PartyRow {
  constructor(server, bosses) {
    this.server = server;
    this.name = element("strong", { dir: "auto" });
    this.size = element("span", { class: "size" });
    this.code = copyable("Copy the invite code");
    const choices = bosses.map(({ id, name, avatar }) => element("option", { value: id }, `${avatar} ${name}`));
    this.boss = element("select", { "aria-label": "Boss" }, ...choices);
    this.boss.addEventListener("change", () => this.update(this.party));
    this.command = copyable("Copy the command");
    // The server refuses a boss fight for a party that is on an adventure.
    this.fight = element(
      "div",
      {},
      element("p", {}, "Start a boss fight against ", this.boss),
      element("p", {}, this.command.node),
    );
    this.node = element(
      "li",
      {},
      element("p", {}, this.name, " ", this.size),
      element("p", {}, "Invite code ", this.code.node),
      this.fight,
    );
  }

  update(party) {
    this.party = party;
    setText(this.name, party.name);
    const state = party.adventureID ? "on an adventure" : "idle";
    setText(this.size, `${party.members} of ${party.capacity} members, ${state}`);
    this.code.update(party.inviteCode);
    this.fight.hidden = Boolean(party.adventureID);
    this.command.update(
      `rangersctl boss start ${this.boss.value} --invite-code ${party.inviteCode} --server ${this.server}`,
    );
  }
}
