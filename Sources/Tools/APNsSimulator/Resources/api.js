// What the page asks of the simulator.

const JSON_TYPE = { "content-type": "application/json" };

/** A random UUID, which the browser itself makes on pages of this machine and over HTTPS only. */
function randomUUID() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  // Version 4 and the variant of RFC 9562.
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Sends a request and reads the answer; what is refused is thrown in the simulator's own words. */
async function send(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: body === undefined ? {} : JSON_TYPE,
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  const answer = text === "" ? undefined : JSON.parse(text);
  if (response.ok) return answer;
  const fields = answer?.errors?.map(({ field, reason }) => `${field}: ${reason}`).join(", ");
  const error = new Error(fields ?? answer?.title ?? `The simulator answered ${response.status}`);
  error.type = answer?.type;
  throw error;
}

/** Where senders find the simulator, and for which app. */
export const doors = () => send("GET", "/api/doors");

export const phones = async () => (await send("GET", "/api/phones")).phones;
export const pushes = (after) => send("GET", `/api/pushes?after=${after}`);
export const violations = async () => (await send("GET", "/api/violations")).violations;

export const addPhone = (phone) => send("POST", "/api/phones", phone);
export const changePhone = (phoneID, change) => send("PATCH", `/api/phones/${phoneID}`, change);

/** Whether players can be attached, and who plays. */
export const players = () => send("GET", "/api/players");
export const attachPlayer = (phoneID, player) => send("POST", `/api/phones/${phoneID}/player`, player);
export const detachPlayer = (phoneID) => send("DELETE", `/api/phones/${phoneID}/player`);

/** What the game server has decided lately about pushes to an activity, oldest first. */
export const decisions = async (activityID) => (await send("GET", `/api/activities/${activityID}/decisions`)).decisions;

/** The tokens to which a phone's running activities get their pushes. */
export const runningTokens = async (phoneID) =>
  (await send("GET", `/api/phones/${phoneID}/running-activities`)).activities.map(({ pushToken }) => pushToken);

export const faults = async () => (await send("GET", "/api/faults")).faults;
export const addFault = (fault) => send("POST", "/api/faults", fault);
export const removeFaults = () => send("DELETE", "/api/faults");

export const startActivity = (phoneID) =>
  send("POST", `/api/phones/${phoneID}/activities`, {
    activityID: randomUUID(),
    adventureID: randomUUID(),
  });
export const rotateToken = (phoneID, activityID) =>
  send("POST", `/api/phones/${phoneID}/activities/${activityID}/rotate`);
export const swipeAway = (phoneID, activityID) => send("DELETE", `/api/phones/${phoneID}/activities/${activityID}`);
