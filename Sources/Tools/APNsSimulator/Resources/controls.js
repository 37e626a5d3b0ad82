// The controls of a phone.

import * as api from "/page/api.js";
import { element, setText } from "/page/dom.js";
import { choices } from "/page/languages.js";
import { Player } from "/page/player.js";

export class Controls {
  /** `showError` shows an error message beside the phone; an empty one removes it. */
  constructor(view, showError) {
    this.phoneID = view.phoneID;
    const attempt = (work) => async () => {
      try {
        await work();
        showError("");
      } catch (error) {
        showError(error.message);
        // The change failed, so the switch shows the old value.
        this.update(this.view);
      }
    };
    const change = (makeChange) => attempt(() => api.changePhone(this.phoneID, makeChange()));

    this.language = element(
      "select",
      {},
      ...choices(view.locale).map(({ value, name }) => element("option", { value }, name)),
    );
    this.language.addEventListener("change", change(() => ({ locale: this.language.value })));
    this.frequent = element("input", { type: "checkbox" });
    this.frequent.addEventListener("change", change(() => ({ frequentPushesEnabled: this.frequent.checked })));
    this.activities = element("input", { type: "checkbox", class: "activities-switch" });
    this.activities.addEventListener("change", change(() => ({ liveActivitiesEnabled: this.activities.checked })));
    this.offline = element("input", { type: "checkbox", class: "offline-switch" });
    this.offline.addEventListener("change", change(() => ({ isOnline: !this.offline.checked })));
    this.start = element("button", { type: "button" }, "Start an activity");
    this.start.addEventListener(
      "click",
      attempt(async () => this.showToken((await api.startActivity(this.phoneID)).pushToken)),
    );
    this.rotate = element("button", { type: "button" }, "Rotate token");
    this.rotate.addEventListener(
      "click",
      attempt(async () => this.showToken((await api.rotateToken(this.phoneID, this.running.activityID)).pushToken)),
    );
    const renewal = (kind, label) => {
      const button = element("button", { type: "button" }, label);
      button.addEventListener("click", attempt(async () => this.showToken((await api.renewToken(this.phoneID, kind)).pushToken)));
      return button;
    };
    this.player = new Player(this.phoneID);
    this.token = element("output", { class: "token", hidden: true });
    this.summary = element("summary", { "aria-label": `Controls of ${view.label}'s phone` }, "Controls");
    this.node = element(
      "details",
      { class: "controls" },
      this.summary,
      element("label", {}, "Language ", this.language),
      element("label", { title: "Changing this setting ends every running activity" }, this.frequent, " Frequent pushes"),
      element("label", { title: "Switching them off ends every running activity" }, this.activities, " Live Activities"),
      element("label", {}, this.offline, " Offline"),
      element("div", { class: "buttons" }, this.start, this.rotate),
      element("div", { class: "buttons" }, renewal("device-token", "New device token"), renewal("widget-token", "New widget token")),
      this.token,
      this.player.node,
    );
    this.node.addEventListener("toggle", () => {
      if (this.node.open) this.player.update();
    });
  }

  update(view) {
    this.view = view;
    this.running = view.activities.findLast(({ status }) => status === "active" || status === "stale");
    this.language.value = view.locale;
    this.frequent.checked = view.frequentPushesEnabled;
    this.activities.checked = view.liveActivitiesEnabled;
    this.start.disabled = !view.liveActivitiesEnabled;
    this.offline.checked = !view.isOnline;
    this.rotate.disabled = this.running === undefined;
  }

  showToken(token) {
    this.token.hidden = false;
    setText(this.token, token);
  }
}
