// Small helpers to build and change the page.

/** Makes an element; properties that start with "aria-", "data-" or are "class" and "role" become attributes. */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (/^(aria-|data-|class$|role$)/.test(key)) made.setAttribute(key, value);
    else made[key] = value;
  }
  made.append(...children.filter((child) => child != null));
  return made;
}

/** Sets a text only when it is another one, so that nothing is selected, read out or drawn anew in vain. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Makes as many children as there are items, keeps those that are there (so they can animate), and updates each. */
export function syncChildren(parent, items, make, update) {
  while (parent.children.length > items.length) parent.lastElementChild.remove();
  while (parent.children.length < items.length) parent.append(make());
  items.forEach((item, index) => update(parent.children[index], item, index));
}
