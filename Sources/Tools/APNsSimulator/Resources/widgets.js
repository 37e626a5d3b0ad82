// The app's widgets on a phone: the hero's and the leaderboard's, as of their last reload.

import { element, setText, syncChildren } from "/page/dom.js";
import { Stats } from "/page/fighter.js";
import { direction } from "/page/languages.js";
import { texts } from "/page/texts.js";

export class Widgets {
  constructor() {
    this.avatar = element("span", { class: "avatar", "aria-hidden": "true" });
    this.name = element("strong", { dir: "auto" });
    this.stats = new Stats();
    this.hero = element("section", { class: "widget" }, this.avatar, this.name, this.stats.node);
    this.title = element("h3");
    this.rows = element("ol");
    this.board = element("section", { class: "widget" }, this.title, this.rows);
    this.screen = element("div", { class: "widget-screen" }, this.hero, this.board);
    this.reloads = element("p", { class: "reloads" });
    this.node = element("div", { class: "widgets", role: "group", "aria-label": "Widgets" }, this.screen, this.reloads);
  }

  update({ content = {}, reloadedAt, reloads, budgetLeft }, locale) {
    const { hero, leaderboard } = content;
    const { leaderboard: title } = texts(locale);
    this.node.hidden = !hero && !leaderboard && !reloadedAt;
    this.screen.hidden = !hero && !leaderboard;
    this.screen.lang = locale;
    this.screen.dir = direction(locale);
    this.hero.hidden = !hero;
    if (hero) {
      setText(this.avatar, hero.avatar);
      setText(this.name, hero.name);
      this.stats.update(hero, locale);
    }
    this.board.hidden = !leaderboard;
    setText(this.title, title);
    syncChildren(
      this.rows,
      leaderboard ?? [],
      () => element("li"),
      (node, { rank, avatar, name, score, isOwn }) => {
        node.classList.toggle("own", isOwn === true);
        const label = element("span", { dir: "auto" }, [avatar, name].filter(Boolean).join(" "));
        node.replaceChildren(element("span", {}, `${rank}.`), label, element("span", {}, score.toLocaleString(locale)));
      },
    );
    const time = reloadedAt && `, last at ${new Date(reloadedAt).toLocaleTimeString("en-GB")}`;
    const left = budgetLeft === undefined ? "" : `; ${budgetLeft} left today`;
    setText(this.reloads, `Widget reloads: ${reloads}${time ?? ""}${left}`);
    this.reloads.title = "The budget is simulated: Apple publishes none for pushes";
  }
}
