import { type Html, html } from '../../../console/html.ts';
import type { PartName } from './exhibition.ts';
import { nameOf } from './names.ts';
import type { PagePerson } from './site-look.ts';
import { choiceView } from './views/site-view.ts';

/** The whole page. It can be read and used without its script, which keeps it up to date. */
export function documentOf(
  person: PagePerson,
  people: readonly PagePerson[],
  parts: Readonly<Record<PartName, Html>>,
): string {
  const part = (name: PartName, tag: 'section' | 'div' = 'section') =>
    tag === 'div'
      ? html`<div data-part="${name}">${parts[name]}</div>`
      : html`<section class="card ${name}" data-part="${name}">${parts[name]}</section>`;
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${nameOf(person.id)} · Recency at work</title>
<link rel="stylesheet" href="/files/base.css">
<link rel="stylesheet" href="/files/page.css">
<link rel="stylesheet" href="/files/panels.css">
<link rel="stylesheet" href="/files/site.css">
<link rel="icon" href="/files/icon.svg" type="image/svg+xml">
<script src="/files/page.js" type="module"></script>
</head>
<body data-person="${person.id}">
<a class="skip" href="#content">Skip to the content</a>
<header>
<h1>Recency at work</h1>
<p>Real servers, drawn people. Everything below is measured while you look.</p>
<p class="said" role="status" data-status></p>
<noscript><p><a href="/?person=${person.id}">Refresh</a></p></noscript>
</header>
<main id="content" tabindex="-1">
${part('story', 'div')}
${part('counter')}
${choiceView(people, person.id)}
<div class="columns">
<div>${part('site')}</div>
<div>${part('race')}${part('certificate')}${part('way')}${part('faults')}</div>
</div>
</main>
</body>
</html>
`.text;
}
