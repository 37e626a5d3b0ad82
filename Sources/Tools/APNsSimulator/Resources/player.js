// Attaches simulated players to a phone, if the simulator has a game server.

import * as api from "/page/api.js";
import { element, setText } from "/page/dom.js";

/** The fields of problems that name none. */
const FIELDS = { "unknown-invite-code": ["inviteCode"] };

export class Player {
  constructor(phoneID) {
    this.phoneID = phoneID;
    const error = `join-error-${phoneID}`;
    const described = { "aria-describedby": error };
    // The game's panel lists the codes of the parties that it shows.
    this.code = element("input", { name: "inviteCode", required: true, size: 10, autocomplete: "off", ...described });
    this.code.setAttribute("list", "invite-codes");
    this.hero = element("select", { name: "hero", ...described }, element("option", { value: "" }, "any"));
    this.takesTurns = element("input", { name: "takesTurns", type: "checkbox", checked: true });
    this.error = element("p", { class: "error", id: error, role: "alert" });
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
    this.node = element(
      "section",
      { class: "player", hidden: true, "aria-label": "Player" },
      this.form,
      this.playing,
      this.error,
    );
  }

  async attempt(work) {
    let failure;
    try {
      await work();
    } catch (error) {
      failure = error;
    }
    await this.update();
    this.showError(failure);
  }

  /** Shows an error beside the form, marks the invalid fields, and moves the focus to the first of them. */
  showError(error) {
    const names = FIELDS[error?.type] ?? error?.fields ?? [];
    const fields = [this.code, this.hero];
    for (const field of fields) field.setAttribute("aria-invalid", String(names.includes(field.name)));
    setText(this.error, error ? error.message : "");
    if (!error) return;
    this.error.scrollIntoView({ block: "nearest" });
    fields.find(({ name }) => names.includes(name))?.focus();
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
      if (!player) return;
      const hero = heroes.find(({ id }) => id === player.hero);
      setText(this.playerName, `${player.displayName} plays here with ${hero ? `${hero.avatar} ${hero.name}` : player.hero}`);
    } catch (error) {
      this.showError(error);
    }
  }
}
