import { isoTime } from '../contracts/http.ts';
import { relativeTime } from './assets/relative.js';
import { type Html, html } from './html.ts';
import type { Session } from './sessions.ts';

/** What a page shows. */
export interface View {
  readonly title: string;
  readonly content: Html;
  /** Below the content; a script draws them, and keeps them up to date. */
  readonly charts?: Html;
  /** Below the charts. */
  readonly below?: Html;
  /** HTTP status (200). */
  readonly status?: number;
  /** The page shows something that changes by itself: the script loads it again every few seconds. */
  readonly isLive?: boolean;
}

interface Frame {
  /** The page's path, which the navigation marks. */
  readonly path: string;
  /** The path with its query: where a refresh leads. */
  readonly url: string;
  /** Undefined: nobody is logged in. */
  readonly session: Session | undefined;
  /** Nobody has to log in. */
  readonly isOpen: boolean;
  /** ms since 1970 UTC. */
  readonly now: number;
}

const PAGES: readonly (readonly [path: string, title: string])[] = [
  ['/console', 'Overview'],
  ['/console/user', 'User'],
  ['/console/dead-letters', 'Dead letters'],
  ['/console/fan-outs', 'Fan-outs'],
  ['/console/epoch', 'Epoch'],
  ['/console/runs', 'Runs'],
  ['/console/drift', 'Drift'],
];

/** A whole page. */
export function pageText(view: View, frame: Frame): string {
  const { title, content, charts, below, isLive = false } = view;
  const part = (of: Html) => html`<div${isLive && html` data-live`}>
${of}
</div>`;
  const page = html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Recency</title>
<link rel="stylesheet" href="/console/files/base.css">
<link rel="stylesheet" href="/console/files/frame.css">
<link rel="stylesheet" href="/console/files/parts.css">
<link rel="stylesheet" href="/console/files/forms.css">
${charts && CHART_STYLES}
<link rel="icon" href="/console/files/icon.svg" type="image/svg+xml">
<script src="/console/files/console.js" type="module"></script>
${charts && CHART_SCRIPTS}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<p class="name">Recency</p>
${frame.session && navigation(frame)}
${frame.session && !frame.isOpen && LOG_OUT}
</header>
<main id="content" tabindex="-1" data-status="${view.status ?? 200}">
<h1>${title}</h1>
${isLive && refreshBar(frame)}
${part(content)}
${charts}
${below && part(below)}
</main>
</body>
</html>
`;
  return page.text;
}

const CHART_STYLES = html`<link rel="stylesheet" href="/console/files/uplot.css">
<link rel="stylesheet" href="/console/files/charts.css">`;

const CHART_SCRIPTS = html`<script src="/console/files/uplot.js" defer></script>
<script src="/console/files/charts.js" type="module"></script>`;

function navigation({ path }: Frame): Html {
  const isHere = (of: string) => (of === '/console' ? path === of : path === of || path.startsWith(`${of}/`));
  const links = PAGES.map(
    ([of, title]) => html`<li><a href="${of}"${isHere(of) && html` aria-current="page"`}>${title}</a></li>`,
  );
  return html`<nav aria-label="Pages"><ul>${links}</ul></nav>`;
}

const LOG_OUT = html`<form method="post" action="/console/logout"><button>Log out</button></form>`;

/** A refresh without a script; the script adds what it needs. */
function refreshBar({ url, now }: Frame): Html {
  return html`<p class="refresh"><span>Loaded <span data-as-of>${time(now, now)}</span></span> <a href="${url}">Refresh</a> <span role="status" data-refresh></span></p>`;
}

/** What makes a form valid: see `Session.formToken`. */
export function formToken(session: Session): Html {
  return html`<input type="hidden" name="form" value="${session.formToken}">`;
}

/** The one way in which pages show a time: how long ago, and which when it is pointed at. @param at, now ms since 1970 UTC */
export function time(at: number, now: number): Html {
  const iso = isoTime(Math.floor(at));
  return html`<time datetime="${iso}" title="${iso}">${relativeTime(at, now)}</time>`;
}

/** Where two times are compared to the millisecond. @param at ms since 1970 UTC */
export function exactTime(at: number): Html {
  const iso = isoTime(at);
  return html`<time datetime="${iso}" class="exact">${iso}</time>`;
}
