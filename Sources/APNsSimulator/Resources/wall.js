// Draws the wall of phones and keeps it up to date by Server-Sent Events.

import { Phone } from "/page/phone.js";
import { PushLog } from "/page/log.js";

const wall = document.getElementById("wall");
const link = document.getElementById("link");
const phones = new Map();
const log = new PushLog(
  document.getElementById("log"),
  document.getElementById("violations"),
  document.getElementById("violation-list"),
  document.getElementById("figures"),
);

function showPhone(view) {
  const phone = phones.get(view.phoneID);
  if (phone) {
    phone.update(view);
    return;
  }
  if (phones.size === 0) wall.replaceChildren();
  const added = new Phone(view);
  phones.set(view.phoneID, added);
  wall.append(added.node);
}

const showPush = (push) => log.add(push, phones.get(push.phoneID)?.view.label);

function showNobody() {
  const nobody = document.getElementById("nobody").content.cloneNode(true);
  nobody.getElementById("hint").textContent = [
    `curl -d '{"label":"Mina","locale":"ko"}' ${location.origin}/api/phones`,
    `curl -d '{"adventureID":"'$(uuidgen)'","activityID":"'$(uuidgen)'"}' \\`,
    `  ${location.origin}/api/phones/PHONE_ID/activities`,
  ].join("\n");
  wall.replaceChildren(nobody);
}

const get = async (path) => (await fetch(path)).json();

/** How long to wait before following again, where the browser does not do so by itself. */
const RETRY_MILLISECONDS = 2000;

/** Reads everything that happened while nobody listened. */
async function catchUp() {
  const { phones: views } = await get("/api/phones");
  views.forEach(showPhone);
  if (phones.size === 0) showNobody();
  for (;;) {
    const { pushes, last } = await get(`/api/pushes?after=${log.lastNumber}`);
    // Another simulator at this address: begin anew.
    if (last < log.lastNumber) return location.reload();
    pushes.forEach(showPush);
    if (pushes.length === 0 || log.lastNumber >= last) break;
  }
  const { violations } = await get("/api/violations");
  violations.forEach((violation) => log.addViolation(violation));
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
  const on = (name, show) => events.addEventListener(name, ({ data }) => past.then(() => show(JSON.parse(data))));
  on("phone", showPhone);
  on("push", showPush);
  on("violation", (violation) => log.addViolation(violation));
}

follow();
setInterval(() => {
  const now = Date.now();
  phones.forEach((phone) => phone.tick(now));
}, 500);
