// Attaches simulated players to a phone, if the simulator has a game server.

import * as api from "/page/api.js";
import { element, setText } from "/page/dom.js";

export class Player {
  /** `showError` shows an error message. */
  constructor(phoneID, showError) {
    this.phoneID = phoneID;
    this.showError = showError;
    this.code = element("input", { name: "inviteCode", required: true, size: 10, autocomplete: "off" });
    this.hero = element("select", { name: "hero" }, element("option", { value: "" }, "any"));
    this.takesTurns = element("input", { name: "takesTurns", type: "checkbox", checked: true });
    this.form = element(
      "form",
      { class: "join" },
      element("label", {}, "Invite code ", this.code),
      element("label", {}, "Hero ", this.hero),
      element("label", { title: "Otherwise the hero acts by itself in boss fights" }, this.takesTurns, " Takes its turns"),
      element("div", { class: "buttons" }, element("button", {}, "Attach a player")),
    );
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.attempt(() =>
        api.attachPlayer(phoneID, {
          inviteCode: this.code.value,
          hero: this.hero.value || undefined,
          takesTurns: this.takesTurns.checked,
        }),
      );
    });
    this.playerName = element("p", { class: "player-name" });
    const leave = element("button", { type: "button" }, "Detach the player");
    leave.addEventListener("click", () => this.attempt(() => api.detachPlayer(phoneID)));
    this.playing = element("div", {}, this.playerName, element("div", { class: "buttons" }, leave));
    this.node = element("section", { class: "player", hidden: true, "aria-label": "Player" }, this.form, this.playing);
  }

  async attempt(work) {
    try {
      await work();
      this.showError("");
    } catch (error) {
      this.showError(error.message);
    }
    await this.update();
  }

  /** Shows the phone's player, or the form that attaches one. */
  async update() {
    try {
      const { canBeAttached, heroes, players } = await api.players();
      if (this.hero.options.length === 1) {
        this.hero.append(...heroes.map(({ id, name, avatar }) => element("option", { value: id }, `${avatar} ${name}`)));
      }
      const player = players.find(({ phoneID }) => phoneID === this.phoneID);
      this.node.hidden = !canBeAttached;
      this.form.hidden = player !== undefined;
      this.playing.hidden = player === undefined;
      if (player) setText(this.playerName, `${player.displayName} plays here with ${player.hero}`);
    } catch (error) {
      this.showError(error.message);
    }
  }
}
