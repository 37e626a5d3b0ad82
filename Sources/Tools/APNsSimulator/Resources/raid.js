// The page of a raid: the common boss, the curve of its health, the parties and the last rounds.

import * as api from "/page/api.js";
import { shape } from "/page/chart.js";
import { element, setText, syncChildren } from "/page/dom.js";

const byID = (id) => document.getElementById(id);

/** A raid has a round each second. */
const POLL_MILLISECONDS = 1000;
/** The rounds in the table. */
const SHOWN_ROUNDS = 12;
/** The maximum number of points of the curve; more rounds are grouped. */
const POINTS = 300;
const HEIGHT = 100;
const MEDALS = ["🥇", "🥈", "🥉"];

const states = {
  scheduled: "scheduled",
  running: "running",
  defeated: "defeated 🏆",
  escaped: "escaped",
  stopped: "stopped by an operator",
};

const number = (value) => value.toLocaleString("en");

/** The raid of the page, with its rounds so far. */
let shown = { id: undefined, rounds: [] };

/** Shows all raids to choose from, and returns the chosen one: by default one that runs, or the newest. */
function choose(raids) {
  const select = byID("raids");
  const newestFirst = [...raids].sort((a, b) => Date.parse(b.startsAt) - Date.parse(a.startsAt));
  const first = newestFirst.find(({ state }) => state === "running") ?? newestFirst[0];
  const chosen = newestFirst.find(({ raidID }) => raidID === location.hash.slice(1)) ?? first;
  syncChildren(
    select,
    newestFirst,
    () => element("option"),
    (option, raid) => {
      option.value = raid.raidID;
      setText(option, `${raid.boss.avatar} ${raid.boss.name}, ${time(raid.startsAt)}, ${raid.state}`);
    },
  );
  if (chosen) select.value = chosen.raidID;
  return chosen;
}

const time = (text) => new Date(text).toLocaleTimeString("en", { hour12: false });

/** Formats the seconds until a moment, such as 1:05:09. */
function remaining(until, now) {
  const seconds = Math.max(0, Math.round((Date.parse(until) - now) / 1000));
  const digits = (value) => String(value).padStart(2, "0");
  return `${Math.floor(seconds / 3600)}:${digits(Math.floor(seconds / 60) % 60)}:${digits(seconds % 60)}`;
}

function showBoss(raid) {
  const { boss } = raid;
  const panel = byID("boss");
  panel.classList.toggle("enraged", boss.phase > 1 && raid.state === "running");
  panel.classList.toggle("over", Boolean(raid.endedAt));
  setText(byID("avatar"), boss.avatar);
  setText(byID("boss-name"), boss.name);
  const phase = boss.phase > 1 ? `, enraged, phase ${boss.phase}` : "";
  setText(byID("state"), `${states[raid.state] ?? raid.state}, round ${number(raid.round)}${phase}`);
  const health = byID("health");
  health.setAttribute("aria-valuemax", boss.maximumHealth);
  health.setAttribute("aria-valuenow", boss.health);
  health.firstElementChild.style.width = `${boss.healthLevel * 100}%`;
  setText(byID("health-text"), `${number(boss.health)} of ${number(boss.maximumHealth)} health left`);
  showFacts(raid);
}

function showFacts(raid) {
  const now = Date.now();
  const blow = ({ damage, at }) => `${number(damage)} at ${time(at)}`;
  const facts = [
    ["Parties", number(raid.parties)],
    ["Damage", number(raid.damage)],
    ["Biggest blow", raid.biggestBlow && blow(raid.biggestBlow)],
    ["Finishing blow", raid.finishingBlow && blow(raid.finishingBlow)],
    ["Regions", raid.regions.join(", ")],
    ["Begins in", raid.state === "scheduled" && remaining(raid.startsAt, now)],
    ["Escapes in", raid.state === "running" && remaining(raid.endsAt, now)],
    ["Waits for shards", raid.waitingFor?.length > 0 && raid.waitingFor.join(", ")],
  ].filter(([, text]) => text);
  syncChildren(
    byID("facts"),
    facts,
    () => element("div", {}, element("dt"), element("dd")),
    (node, [label, text]) => {
      setText(node.children[0], label);
      setText(node.children[1], text);
    },
  );
}

function showCurve({ boss }, rounds) {
  const panel = byID("curve-panel");
  panel.hidden = rounds.length === 0;
  if (panel.hidden) return;
  const size = Math.ceil(rounds.length / POINTS);
  const groups = [];
  for (let start = 0; start < rounds.length; start += size) {
    const group = rounds.slice(start, start + size);
    groups.push({ damage: group.reduce((sum, { damage }) => sum + damage, 0), health: group.at(-1).health });
  }
  const most = Math.max(1, ...groups.map(({ damage }) => damage));
  const bars = groups.map(({ damage }, index) => {
    // Half of the height, below the curve.
    const height = ((damage / most) * HEIGHT) / 2;
    return shape("rect", { class: "low", x: index + 0.1, y: HEIGHT - height, width: 0.8, height });
  });
  const y = (health) => (1 - health / boss.maximumHealth) * (HEIGHT - 2) + 1;
  const points = groups.map(({ health }, index) => `${index + 1},${y(health)}`);
  const line = shape("polyline", { class: "health", points: [`0,${y(boss.maximumHealth)}`, ...points].join(" ") });
  const svg = byID("curve");
  svg.setAttribute("viewBox", `0 0 ${groups.length} ${HEIGHT}`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.replaceChildren(...bars, line);
  const rate = rounds.slice(-SHOWN_ROUNDS).reduce((sum, { damage }) => sum + damage, 0);
  const text = `${number(rounds.length)} rounds; ${number(rate)} damage in the last ${Math.min(SHOWN_ROUNDS, rounds.length)}`;
  setText(byID("curve-caption"), text);
  svg.setAttribute("aria-label", text);
}

function showRounds(rounds) {
  byID("rounds-panel").hidden = rounds.length === 0;
  syncChildren(
    byID("rounds"),
    rounds.slice(-SHOWN_ROUNDS).reverse(),
    () => element("tr", {}, ...Array.from({ length: 5 }, () => element("td"))),
    (row, { round, damage, health, phase, parties }) =>
      [round, damage, health, phase, parties].forEach((value, column) => setText(row.children[column], number(value))),
  );
}

function showRanking(parties) {
  byID("ranking-panel").hidden = parties.length === 0;
  const most = Math.max(1, ...parties.map(({ damage }) => damage));
  syncChildren(
    byID("ranking"),
    parties,
    () => element("li", {}, element("i", { class: "share" }), element("span", { class: "place" }),
      element("span", { class: "name", dir: "auto" }), element("span")),
    (row, { place, name, partyID, damage }) => {
      const [share, placeNode, nameNode, damageNode] = row.children;
      share.style.width = `${(damage / most) * 100}%`;
      setText(placeNode, MEDALS[place - 1] ?? `${place}`);
      setText(nameNode, name ?? partyID);
      setText(damageNode, number(damage));
    },
  );
}

/** Reads the rounds that the page does not have yet. */
async function readRounds(id) {
  for (;;) {
    const { rounds, next } = await api.raidRounds(id, shown.rounds.at(-1)?.round);
    shown.rounds.push(...rounds);
    if (next === undefined) return;
  }
}

async function update() {
  const raid = choose(await api.raids());
  byID("none").hidden = raid !== undefined;
  byID("boss").hidden = raid === undefined;
  if (!raid) return;
  if (shown.id !== raid.raidID) shown = { id: raid.raidID, rounds: [] };
  showBoss(raid);
  await readRounds(raid.raidID);
  showCurve(raid, shown.rounds);
  showRounds(shown.rounds);
  showRanking(await api.raidRanking(raid.raidID));
}

async function follow() {
  const link = byID("link");
  if (!document.hidden) {
    try {
      await update();
      setText(link, "live");
      link.className = "link live";
    } catch (error) {
      setText(link, error.message);
      link.className = "link lost";
    }
  }
  setTimeout(follow, POLL_MILLISECONDS);
}

byID("raids").addEventListener("change", ({ target }) => {
  location.hash = target.value;
});
follow();
