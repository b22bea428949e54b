// Keeps the page up to date. Without this script it is up to date when it is loaded, and its buttons work.

const status = document.querySelector('[data-status]');
const LOST = 'The demonstration does not answer. What is shown is old.';

follow();
document.addEventListener('submit', send);

function follow() {
  const source = new EventSource(`/events?person=${document.body.dataset.person}`);
  source.addEventListener('open', () => {
    if (status.textContent === LOST) say('');
  });
  source.addEventListener('error', () => say(LOST)); // the browser connects again
  source.addEventListener('part', ({ data }) => {
    const { name, html } = JSON.parse(data);
    show(document.querySelector(`[data-part="${name}"]`), html);
  });
}

function say(text) {
  if (status.textContent !== text) status.textContent = text;
}

/** A button's form, without leaving the page. */
async function send(event) {
  const form = event.target.closest('form[data-act]');
  if (form === null) return;
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form));
  const request = { method: 'POST', body, headers: { Accept: 'text/plain' } };
  const said = await fetch(form.action, request).then(
    (response) => response.text(),
    () => LOST,
  );
  say(said);
}

/** Changes a part to the markup given. What has the focus keeps it; if it has gone, the part's heading gets it. */
function show(part, html) {
  const fresh = new DOMParser().parseFromString(html, 'text/html').body;
  const focused = part.contains(document.activeElement) ? document.activeElement : null;
  updateChildren(part, document.importNode(fresh, true));
  if (focused === null || focused === document.activeElement) return;
  const heading = part.querySelector('h2');
  if (!focused.isConnected) heading?.setAttribute('tabindex', '-1');
  (focused.isConnected ? focused : heading)?.focus({ preventScroll: true });
}

/** Children with a key stay the same element wherever they move, so that only what has changed is drawn again. */
function updateChildren(old, fresh) {
  const wanted = new Map([...fresh.children].map((child) => [child.dataset?.key, child]));
  const kept = new Map();
  for (const child of [...old.children]) {
    const key = child.dataset?.key;
    if (key === undefined) continue;
    if (wanted.has(key)) kept.set(key, child);
    else child.remove();
  }
  let at = old.firstChild;
  for (const child of [...fresh.childNodes]) {
    const key = child.dataset?.key;
    const match = key === undefined ? isAlike(at, child) && at : kept.get(key);
    if (match) {
      if (match === at) at = at.nextSibling;
      else old.insertBefore(match, at);
      update(match, child);
    } else old.insertBefore(child, at);
  }
  while (at !== null) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

function isAlike(one, other) {
  return one !== null && one.nodeName === other.nodeName && one.dataset?.key === undefined;
}

function update(old, fresh) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  if (fresh.hasAttribute('data-over') && !old.hasAttribute('data-over')) old.open = false;
  // Otherwise people decide what is open.
  const isOurs = (name) => name !== 'open' && name !== 'tabindex';
  for (const { name } of [...old.attributes]) if (isOurs(name) && !fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) {
    if (isOurs(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  updateChildren(old, fresh);
}
