// A code or a command with a button that copies it.

import { element, setText } from "/page/dom.js";

const COPIED_MILLISECONDS = 2000;

/** Creates an empty text; `label` is the button's name for screen readers. */
export function copyable(label) {
  const text = element("code");
  const copy = element("button", { type: "button", "aria-label": label }, "Copy");
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text.textContent);
      copy.textContent = "Copied";
      setTimeout(() => (copy.textContent = "Copy"), COPIED_MILLISECONDS);
    } catch {
      // Without the permission, or without TLS on another machine, the user copies it by hand.
      getSelection().selectAllChildren(text);
    }
  });
  return { node: element("span", { class: "copyable" }, text, " ", copy), update: (value) => setText(text, value) };
}
