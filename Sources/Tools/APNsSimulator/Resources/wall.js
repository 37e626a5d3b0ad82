// Draws the phone wall and keeps it up to date with server-sent events.

import * as api from "/page/api.js";
import { Chart } from "/page/chart.js";
import { element, setText } from "/page/dom.js";
import { Faults } from "/page/faults.js";
import { Frames } from "/page/frames.js";
import { Game } from "/page/game.js";
import { choices, direction, tag } from "/page/languages.js";
import { PushLog } from "/page/log.js";
import { Phone } from "/page/phone.js";
import { Sound } from "/page/sound.js";

const byID = (id) => document.getElementById(id);
const wall = byID("wall");
const link = byID("link");
const phones = new Map();
const log = new PushLog(byID("log"), byID("violations"), byID("violation-list"), byID("figures"));
const chart = new Chart(byID("chart"), byID("chart-caption"));
const sound = new Sound(byID("sound"));

/** The pause before reconnecting, where the browser does not reconnect by itself. */
const RETRY_MILLISECONDS = 2000;
/** The interval of clock updates. */
const TICK_MILLISECONDS = 500;

/** The number of alerts that stay available to screen readers. */
const ANNOUNCEMENTS = 20;

/** The interval of updates of the fault list. */
const FAULTS_MILLISECONDS = 2000;
/** The interval of updates of the game's parties, each of which costs the game server two requests. */
const PARTIES_MILLISECONDS = 5000;

const showError = (message) => setText(byID("error"), message);
const game = new Game(byID("game"), byID("links"));
const faults = new Faults(byID("fault-form"), byID("fault-list"));

/** The time from which on alerts are new to the page, by the simulator's clock: that of the first connection. */
let since;

/** Shows a phone's view and returns its new alerts, also those of a phone that is new itself. */
function showPhone(view) {
  return phone(view)
    .update(view)
    .filter(({ time }) => Date.parse(time) >= since);
}

/** Returns the phone of a view, which is added to the wall if it is new. */
function phone(view) {
  const known = phones.get(view.phoneID);
  if (known) return known;
  if (phones.size === 0) wall.replaceChildren();
  const added = new Phone(view);
  phones.set(view.phoneID, added);
  faults.addPhone(view);
  if (view.owner) ownerOf(view).append(added.node);
  else wall.append(added.node);
  return added;
}

/** Returns the group of a player's devices, which has room for one more. */
function ownerOf({ owner }) {
  const name = `Devices of ${owner}`;
  const known = [...wall.children].find((node) => node.getAttribute("aria-label") === name);
  const group = known ?? element("section", { class: "owner", "aria-label": name });
  if (!known) wall.append(group);
  group.style.setProperty("--devices", group.children.length + 1);
  return group;
}

/** The changes since the last frame, with the newest view of each phone. */
const pending = { phones: new Map(), pushes: [], violations: [] };

const frames = new Frames(() => {
  const views = [...pending.phones.values()];
  pending.phones.clear();
  showPhones(views);
  pending.pushes.splice(0).forEach(showPush);
  pending.violations.splice(0).forEach((violation) => log.addViolation(violation));
  log.draw();
});

/** Shows views, and plays and announces their new alerts. */
function showPhones(views) {
  const alerts = views.flatMap((view) => showPhone(view).map((alert) => ({ view, alert })));
  // Equal sounds play once.
  new Set(alerts.map(({ alert }) => alert.sound)).forEach((name) => sound.play(name));
  alerts.slice(-ANNOUNCEMENTS).forEach(({ view, alert }) => announce(view, alert));
}

function addView(view) {
  const known = pending.phones.get(view.phoneID);
  if (!known || known.revision <= view.revision) pending.phones.set(view.phoneID, view);
}

/** Adds a push to the log and the chart. */
function showPush(push) {
  const view = phones.get(push.phoneID)?.view;
  if (log.add(push, view)) chart.add(push, view?.budgetLimit);
}

/** Announces an alert to screen readers. */
function announce({ label, locale }, alert) {
  const text = [alert.title, alert.body].filter(Boolean).join(" ");
  const localized = element("span", { lang: tag(locale), dir: direction(locale) }, text);
  // One paragraph for each alert, so that simultaneous ones are read one after the other.
  const announcements = byID("announcements");
  announcements.append(element("p", {}, `${label}: `, localized));
  if (announcements.children.length > ANNOUNCEMENTS) announcements.firstElementChild.remove();
}

async function showEmptyState() {
  const { apnsHost, apnsPort, bundleID } = await api.endpoints();
  if (phones.size > 0) return;
  const host = apnsHost === "0.0.0.0" ? "127.0.0.1" : apnsHost;
  const empty = byID("empty").content.cloneNode(true);
  empty.getElementById("hint").textContent = [
    `api=${location.origin}/api`,
    "curl $api/phones \\",
    `  -d '{"label":"Mina","locale":"ko"}'`,
    "id=$(cat /proc/sys/kernel/random/uuid)",
    "curl $api/phones/PHONE_ID/activities \\",
    `  -d '{"activityID":"'$id'",`,
    `    "adventureID":"'$id'"}'`,
  ].join("\n");
  empty.getElementById("push-hint").textContent = [
    "jwt=$(apns-simulator make-token \\",
    "  --key-file provider.p8 \\",
    "  --key-id KEY_ID --team-id TEAM_ID)",
    "curl --http2 --cacert apns-ca.pem \\",
    `  https://${host}:${apnsPort}/3/device/TOKEN \\`,
    '  -H "authorization: bearer $jwt" \\',
    "  -H 'apns-push-type: liveactivity' \\",
    `  -H 'apns-topic: ${bundleID}.push-type.liveactivity' \\`,
    "  -H 'apns-priority: 10' \\",
    "  -H 'apns-expiration: 0' \\",
    "  -d @payload.json",
  ].join("\n");
  wall.replaceChildren(empty);
}

/** Loads the state and the log from before the event stream. */
async function catchUp() {
  showPhones(await api.phones());
  if (phones.size === 0) await showEmptyState();
  for (;;) {
    const { pushes, last } = await api.pushes(log.lastNumber);
    pushes.forEach(showPush);
    if (pushes.length === 0 || log.lastNumber >= last) break;
  }
  (await api.violations()).forEach((violation) => log.addViolation(violation));
  log.draw();
  byID("log").removeAttribute("aria-busy");
}

/** The simulator run that this page shows. */
let run;

/** Reloads the page after a restart of the simulator. */
function checkRun({ id, time }) {
  run ??= id;
  since ??= Date.parse(time);
  if (id !== run) location.reload();
}

/** Shows the state of the connection, `live` or `lost` once it is known. */
function showLink(text, state = "") {
  link.textContent = text;
  link.className = `link ${state}`;
}

function follow() {
  const events = new EventSource("/api/events");
  // Events are handled after the history: the log ignores pushes older than the newest that it shows.
  let history = Promise.resolve();
  const startOver = () => {
    events.close();
    setTimeout(follow, RETRY_MILLISECONDS);
  };
  // The first event of every connection.
  events.addEventListener("run", ({ data }) => {
    checkRun(JSON.parse(data));
    showLink("loading …");
    game.load().catch(() => {});
    history = catchUp().then(() => {
      // The connection may have been lost meanwhile.
      if (events.readyState === EventSource.OPEN) showLink("live", "live");
    }, startOver);
  });
  events.addEventListener("error", () => {
    showLink("disconnected, trying to reconnect …", "lost");
    if (events.readyState === EventSource.CLOSED) startOver();
  });
  const on = (name, handle) =>
    events.addEventListener(name, ({ data }) =>
      history.then(() => {
        handle(JSON.parse(data));
        frames.request();
      }),
    );
  on("phone", addView);
  on("push", (push) => pending.pushes.push(push));
  on("violation", (violation) => pending.violations.push(violation));
}

function setUpForm(form) {
  form.elements.locale.append(
    ...choices().map(({ value, name }) => element("option", { value, selected: value === "en" }, name)),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { label, locale, frequent, model, owner } = form.elements;
    try {
      await api.addPhone({
        label: label.value,
        locale: locale.value,
        frequentPushesEnabled: frequent.checked,
        model: model.value,
        owner: owner.value || undefined,
      });
      label.value = "";
      showError("");
    } catch (error) {
      showError(error.message);
    }
  });
}

setUpForm(byID("add"));
follow();
setInterval(() => {
  // The connection state is shown elsewhere.
  if (byID("faults").open) faults.update().catch(() => {});
}, FAULTS_MILLISECONDS);
setInterval(() => {
  if (!document.hidden) game.update().catch(() => {});
}, PARTIES_MILLISECONDS);
setInterval(() => {
  const now = Date.now();
  phones.forEach((phone) => phone.tick(now));
  chart.draw(now);
}, TICK_MILLISECONDS);
