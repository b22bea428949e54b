// Loads the live part of a page again every few seconds. Without this script the link "Refresh" does the same.

const EVERY_MS = 3_000;
const WITHIN_MS = 10_000;

const live = document.querySelector('[data-live]');
const status = document.querySelector('[data-refresh]');
let isPaused = false;

if (live !== null && status !== null) {
  addPause();
  follow();
}

/** What changes by itself can be stopped. */
function addPause() {
  const button = document.createElement('button');
  const name = () => {
    button.textContent = isPaused ? 'Resume updates' : 'Pause updates';
  };
  button.type = 'button';
  button.addEventListener('click', () => {
    isPaused = !isPaused;
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

/** Whoever reads with the keyboard, or has selected something, must not lose their place. */
function isInUse() {
  return live.contains(document.activeElement) || String(document.getSelection()) !== '' || document.hidden || isPaused;
}

/** Returns what is wrong, or nothing. */
async function load() {
  const response = await fetch(location.href, { signal: AbortSignal.timeout(WITHIN_MS) });
  if (response.status === 401) return 'Your session has ended. Refresh to log in again.';
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const fresh = page.querySelector('[data-live]');
  if (fresh === null) return `The page cannot be updated (status ${response.status}).`;
  if (!isInUse()) show(page, fresh);
  return '';
}

function show(page, fresh) {
  if (live.innerHTML !== fresh.innerHTML) live.replaceChildren(...document.importNode(fresh, true).childNodes);
  for (const part of ['[data-as-of]', 'h1']) {
    const found = page.querySelector(part);
    if (found !== null) document.querySelector(part)?.replaceChildren(...found.childNodes);
  }
  document.title = page.title;
}
