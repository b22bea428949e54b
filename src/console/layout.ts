import { isoTime } from '../contracts/iso-time.ts';
import { type Html, html } from './html.ts';
import type { Session } from './sessions.ts';

/** What a page shows. */
export interface View {
  readonly title: string;
  readonly content: Html;
  /** HTTP status (200). */
  readonly status?: number;
  /** The page shows something that changes by itself: the script loads it again every few seconds. */
  readonly isLive?: boolean;
}

export interface Frame {
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
  const { title, content, isLive = false } = view;
  const page = html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Recency</title>
<link rel="stylesheet" href="/console/files/frame.css">
<link rel="stylesheet" href="/console/files/parts.css">
<link rel="icon" href="/console/files/icon.svg" type="image/svg+xml">
<script src="/console/files/console.js" type="module"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<p class="name">Recency</p>
${frame.session && navigation(frame)}
${frame.session && !frame.isOpen && LOG_OUT}
</header>
<main id="content" tabindex="-1">
<h1>${title}</h1>
${isLive && refreshBar(frame)}
<div${isLive && html` data-live`}>
${content}
</div>
</main>
</body>
</html>
`;
  return page.text;
}

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
  return html`<p class="refresh"><span>As of <span data-as-of>${time(now)}</span></span> <a href="${url}">Refresh</a> <span role="status" data-refresh></span></p>`;
}

/** What makes a form valid: see `Session.formToken`. */
export function formToken(session: Session): Html {
  return html`<input type="hidden" name="form" value="${session.formToken}">`;
}

/** @param at ms since 1970 UTC */
export function time(at: number): Html {
  const iso = isoTime(Math.floor(at));
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`;
}
