// Draws the wall of phones and keeps it up to date by Server-Sent Events.

import * as api from "/page/api.js";
import { Chart } from "/page/chart.js";
import { element, setText } from "/page/dom.js";
import { Faults } from "/page/faults.js";
import { Frames } from "/page/frames.js";
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

/** How long to wait before following again, where the browser does not do so by itself. */
const RETRY_MILLISECONDS = 2000;
/** How often the clocks on the wall are looked at. */
const TICK_MILLISECONDS = 500;

/** How many alerts a screen reader finds when it looks back. */
const SPOKEN = 20;

/** How long a struck fault may go untold. */
const FAULTS_MILLISECONDS = 2000;

const tell = (trouble) => setText(byID("trouble"), trouble);
const faults = new Faults(byID("fault-form"), byID("fault-list"), tell);

/** Shows a phone as it is now, and answers with the alerts that have come to it since. */
function showPhone(view) {
  const phone = phones.get(view.phoneID);
  if (phone) return phone.update(view);
  if (phones.size === 0) wall.replaceChildren();
  const added = new Phone(view, tell);
  phones.set(view.phoneID, added);
  faults.offerPhone(view);
  wall.append(added.node);
  return [];
}

/** What has come since the last frame: of each phone the newest view. */
const fresh = { phones: new Map(), pushes: [], violations: [] };

const frames = new Frames(() => {
  const views = [...fresh.phones.values()];
  fresh.phones.clear();
  const alerts = views.flatMap((view) => showPhone(view).map((alert) => ({ view, alert })));
  fresh.pushes.splice(0).forEach(showPush);
  fresh.violations.splice(0).forEach((violation) => log.addViolation(violation));
  log.draw();
  // The same sound at the same moment is one sound.
  new Set(alerts.map(({ alert }) => alert.sound)).forEach((name) => sound.play(name));
  alerts.slice(-SPOKEN).forEach(({ view, alert }) => speak(view, alert));
});

function notePhone(view) {
  const known = fresh.phones.get(view.phoneID);
  if (!known || known.revision <= view.revision) fresh.phones.set(view.phoneID, view);
}

/** Puts a push into the log and the chart. */
function showPush(push) {
  const view = phones.get(push.phoneID)?.view;
  if (log.add(push, view)) chart.add(push, view?.budgetLimit);
}

/** Lets a screen reader say an alert that has just come. */
function speak({ label, locale }, alert) {
  const text = [alert.title, alert.body].filter(Boolean).join(" ");
  const said = element("span", { lang: tag(locale), dir: direction(locale) }, text);
  // Each is a paragraph of its own: what comes at once is read one after the other.
  const spoken = byID("spoken");
  spoken.append(element("p", {}, `${label}: `, said));
  if (spoken.children.length > SPOKEN) spoken.firstElementChild.remove();
}

async function showNobody() {
  const { apnsHost, apnsPort, bundleID } = await api.doors();
  if (phones.size > 0) return;
  const host = apnsHost === "0.0.0.0" ? "127.0.0.1" : apnsHost;
  const nobody = byID("nobody").content.cloneNode(true);
  nobody.getElementById("hint").textContent = [
    `api=${location.origin}/api`,
    "curl $api/phones \\",
    `  -d '{"label":"Mina","locale":"ko"}'`,
    "id=$(cat /proc/sys/kernel/random/uuid)",
    "curl $api/phones/PHONE_ID/activities \\",
    `  -d '{"activityID":"'$id'",`,
    `    "adventureID":"'$id'"}'`,
  ].join("\n");
  nobody.getElementById("push-hint").textContent = [
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
  wall.replaceChildren(nobody);
}

/** Reads everything that happened while nobody listened. */
async function catchUp() {
  (await api.phones()).forEach(showPhone);
  if (phones.size === 0) await showNobody();
  for (;;) {
    const { pushes, last } = await api.pushes(log.lastNumber);
    pushes.forEach(showPush);
    if (pushes.length === 0 || log.lastNumber >= last) break;
  }
  (await api.violations()).forEach((violation) => log.addViolation(violation));
  log.draw();
}

/** Which run of the simulator this page shows. */
let run;

/** Begins anew when another simulator has taken the place of the one that the page shows. */
function checkRun(current) {
  run ??= current;
  if (current !== run) location.reload();
}

function follow() {
  const events = new EventSource("/api/events");
  // Events that come while the past is being read wait for it, or their numbers would hide it.
  let past = Promise.resolve();
  const startOver = () => {
    events.close();
    setTimeout(follow, RETRY_MILLISECONDS);
  };
  events.addEventListener("open", () => {
    link.textContent = "live";
    link.className = "link live";
    past = catchUp().catch(startOver);
  });
  events.addEventListener("error", () => {
    link.textContent = "the simulator is away, trying again …";
    link.className = "link lost";
    if (events.readyState === EventSource.CLOSED) startOver();
  });
  const on = (name, note) =>
    events.addEventListener(name, ({ data }) =>
      past.then(() => {
        note(JSON.parse(data));
        frames.want();
      }),
    );
  events.addEventListener("run", ({ data }) => checkRun(data));
  on("phone", notePhone);
  on("push", (push) => fresh.pushes.push(push));
  on("violation", (violation) => fresh.violations.push(violation));
}

function offerPhones(form) {
  form.elements.locale.append(
    ...choices().map(({ value, name }) => element("option", { value, selected: value === "en" }, name)),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { label, locale, frequent } = form.elements;
    try {
      await api.addPhone({ label: label.value, locale: locale.value, frequentPushesEnabled: frequent.checked });
      label.value = "";
      tell("");
    } catch (error) {
      tell(error.message);
    }
  });
}

offerPhones(byID("add"));
follow();
setInterval(() => {
  // While the simulator is away, the page says so elsewhere.
  if (byID("faults").open) faults.update().catch(() => {});
}, FAULTS_MILLISECONDS);
setInterval(() => {
  const now = Date.now();
  phones.forEach((phone) => phone.tick(now));
  chart.draw(now);
}, TICK_MILLISECONDS);
