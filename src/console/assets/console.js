// Loads the live parts of a page again every few seconds, and lets times grow older. Without this script the link "Refresh" does.

import { relativeTime } from './relative.js';

const EVERY_MS = 3_000;
const WITHIN_MS = 10_000;
const COPIED_MS = 2_000;

const liveParts = [...document.querySelectorAll('[data-live]')];
const status = document.querySelector('[data-refresh]');
/** What the server said last, of each part: here a script has added buttons since. */
const shown = new Map(liveParts.map((part) => [part, part.innerHTML]));
const root = document.documentElement;

if (liveParts.length > 0 && status !== null) {
  addPause();
  follow();
}
addCopyButtons(document);
addChooseAll();
setInterval(() => tellTimes(document), 1_000);

/** What changes by itself can be stopped: the charts as well. */
function addPause() {
  const button = document.createElement('button');
  const name = () => {
    button.textContent = 'paused' in root.dataset ? 'Resume updates' : 'Pause updates';
  };
  button.type = 'button';
  button.addEventListener('click', () => {
    root.toggleAttribute('data-paused');
    name();
  });
  name();
  status.before(button);
}

function follow() {
  let isLoading = false;
  setInterval(async () => {
    if (isLoading || isInUse()) return;
    isLoading = true;
    const said = await load().catch(() => 'The server does not answer. What is shown is old.');
    if (status.textContent !== said) status.textContent = said;
    isLoading = false;
  }, EVERY_MS);
}

/** People who navigate by keyboard, or have selected text, must not lose their place. */
function isInUse() {
  const hasFocus = liveParts.some((part) => part.contains(document.activeElement));
  return hasFocus || String(document.getSelection()) !== '' || document.hidden || 'paused' in root.dataset;
}

/** Returns what is wrong, or nothing. */
async function load() {
  const headers = { 'X-Recency-Refresh': 'page' };
  const response = await fetch(location.href, { headers, signal: AbortSignal.timeout(WITHIN_MS) });
  if (response.status === 401) return 'Your session has ended. Refresh to log in again.';
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const fresh = [...page.querySelectorAll('[data-live]')];
  if (fresh.length === 0) return `The page cannot be updated (status ${response.status}).`;
  if (isInUse()) return '';
  // A page that fails now, or no longer does, has other parts.
  if (statusIn(page) !== statusIn(document)) location.reload();
  else show(page, fresh);
  return '';
}

const statusIn = (page) => page.querySelector('main')?.dataset.status;

function show(page, fresh) {
  for (const [i, part] of liveParts.entries()) {
    const { innerHTML } = fresh[i] ?? part;
    if (shown.get(part) === innerHTML) continue;
    shown.set(part, innerHTML);
    const scrolled = [...part.querySelectorAll('.table')].map(({ scrollLeft }) => scrollLeft);
    part.replaceChildren(...document.importNode(fresh[i], true).childNodes);
    for (const [j, table] of [...part.querySelectorAll('.table')].entries()) table.scrollLeft = scrolled[j] ?? 0;
    addCopyButtons(part);
  }
  for (const part of ['[data-as-of]', 'h1']) {
    const found = page.querySelector(part);
    if (found !== null) document.querySelector(part)?.replaceChildren(...found.childNodes);
  }
  document.title = page.title;
}

/** Times are those of the server: its clock is the one that counts, and this one is only asked how much time has passed. */
function tellTimes(within) {
  const asOf = document.querySelector('[data-as-of] time');
  if (asOf === null) return;
  asOf.readAt ??= performance.now();
  const now = Date.parse(asOf.dateTime) + performance.now() - asOf.readAt;
  for (const time of within.querySelectorAll('time:not(.exact)')) {
    const text = relativeTime(Date.parse(time.dateTime), now);
    if (time.textContent !== text) time.textContent = text;
  }
}

function addCopyButtons(within) {
  if (navigator.clipboard === undefined) return; // only on pages that came over TLS, or from this machine
  for (const command of within.querySelectorAll('code.command')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.setAttribute('aria-label', `Copy ${command.textContent}`);
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(command.textContent);
      button.textContent = 'Copied';
      button.blur();
      setTimeout(() => {
        button.textContent = 'Copy';
      }, COPIED_MS);
    });
    command.after(' ', button);
  }
}

/** One box that chooses every letter of the page. */
function addChooseAll() {
  const form = document.querySelector('[data-choices]');
  const heading = form?.querySelector('thead th');
  if (heading == null) return;
  const all = document.createElement('input');
  all.type = 'checkbox';
  all.setAttribute('aria-label', 'Choose every letter of this page');
  all.addEventListener('change', () => {
    for (const box of form.querySelectorAll('input[name=id]')) box.checked = all.checked;
  });
  heading.append(' ', all);
}
