// Helpers that build and change the page.

/** Creates an element; properties named "aria-…", "data-…", "class" and "role" become attributes. */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (/^(aria-|data-|class$|role$)/.test(key)) made.setAttribute(key, value);
    else made[key] = value;
  }
  made.append(...children.filter((child) => child != null));
  return made;
}

/** Sets a text only if it changes, to keep selections and to avoid announcements and redraws. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Creates or removes children to match the items, keeps existing ones (so that they animate), and updates each. */
export function syncChildren(parent, items, make, update) {
  while (parent.children.length > items.length) parent.lastElementChild.remove();
  while (parent.children.length < items.length) parent.append(make());
  items.forEach((item, index) => update(parent.children[index], item, index));
}
