import { type Html, html } from '../../../../console/html.ts';
import type { Id } from '../../../../contracts/id.ts';
import { count } from '../../layout.ts';
import { wordsOf } from '../certificate.ts';
import { nameOf } from '../names.ts';
import { photoTitle } from '../photo.ts';
import type { SiteChange } from '../site-desk.ts';
import type { PagePerson, RecentPhotosBody, SiteLook } from '../site-look.ts';

/** Whether its buttons work, and the day that its times are of, as `2026-05-01`. */
export interface SiteViewOptions {
  readonly isOpen: boolean;
  readonly today: string;
}

/** A person's page of the site: their most recently active contacts with their newest photos. */
export function siteView({ person, recent, strangers, hidden }: SiteLook, options: SiteViewOptions): Html {
  const button = buttonsOf(person.id, options);
  const rows = recent?.contacts.map((contact) => row(contact, options, button));
  return html`<h2 tabindex="-1">Recently active contacts of ${nameOf(person.id)}</h2>
<p class="hint">The first eight of ${count(person.contacts)} contacts, as many as there were at the beginning. Times are UTC.</p>
${rows === undefined && html`<p class="notice">The API does not answer at the moment. It is asked again.</p>`}
${rows !== undefined && html`<ol class="people">${rows}</ol>`}
<h3>People to add</h3>
${strangers.length === 0 && html`<p class="hint">Everybody is a contact already.</p>`}
<ul class="strangers">${strangers.map((id) => html`<li data-key="${id}">${face(id)}<span>${nameOf(id)}</span>${button('add', id, 'Add')}</li>`)}</ul>
${hidden.length > 0 && html`<h3>Photos that were hidden here</h3>`}
<ul class="strangers">${hidden.map(({ id, owner }) => html`<li data-key="${id}">${photoImage(id)}<span>${nameOf(owner)}</span>${button('show', owner, 'Show again', id)}</li>`)}</ul>`;
}

/** Who can be looked at. */
export function choiceView(people: readonly PagePerson[], chosen: Id): Html {
  const links = people.map(({ id, contacts }) => {
    const isChosen = id === chosen && html` aria-current="page"`;
    return html`<li><a href="/?person=${id}"${isChosen}>${face(id)}<span><strong>${nameOf(id)}</strong> <small>${count(contacts)} contacts</small></span></a></li>`;
  });
  return html`<nav aria-label="Whose page"><ul class="choice">${links}</ul></nav>`;
}

/** What an answer says about itself, and what that means. */
export function certificateView(recent: RecentPhotosBody | undefined, today: string): Html {
  if (recent === undefined) return html`<h2>The answer's certificate</h2><p class="hint">There is no answer.</p>`;
  const { source, exact, floor, as_of, lag_ms, reason } = recent.answer;
  const facts = [
    ['source', source],
    ['exact', html`<span class="badge ${exact ? 'fine' : 'warning'}">${String(exact)}</span>`],
    ['reason', reason ?? '–'],
    ['lag_ms', lag_ms === null ? 'not known' : `${count(lag_ms)} ms`],
    ['as_of', as_of.slice(11, 23)],
    ['floor', floor === null ? 'none' : floor.at.slice(...(floor.at.startsWith(today) ? [11, 23] : [0, 10]))],
  ] as const;
  return html`<h2>The answer's certificate</h2>
<p class="words">${wordsOf(recent.answer)}</p>
<dl class="facts">${facts.map(([name, value]) => html`<div><dt><code>${name}</code></dt><dd>${value}</dd></div>`)}</dl>`;
}

type Button = (act: SiteChange['act'], contact: Id, label: string, photo?: Id) => Html;

function buttonsOf(person: Id, { isOpen }: SiteViewOptions): Button {
  const disabled = !isOpen && html` disabled`;
  return (act, contact, label, photo) => html`<form method="post" action="/site/${act}" data-act>
<input type="hidden" name="person" value="${person}"><input type="hidden" name="contact" value="${contact}">
${photo !== undefined && html`<input type="hidden" name="photo" value="${photo}">`}
<button aria-label="${label}: ${nameOf(contact)}"${disabled}>${label}</button></form>`;
}

function row(contact: RecentPhotosBody['contacts'][number], { today }: SiteViewOptions, button: Button): Html {
  const { id, last_upload_at: at, photos } = contact;
  const when = at.startsWith(today) ? at.slice(11, 23) : at.slice(0, 10);
  const newest = photos[0]?.id;
  return html`<li data-key="${id}">${face(id)}
<p class="who"><strong>${nameOf(id)}</strong> <time datetime="${at}">${when}</time></p>
<p class="photos">${photos.map((photo) => photoImage(photo.id))}</p>
<div class="acts">${button('upload', id, 'Upload')}${newest !== undefined && button('hide', id, 'Hide photo', newest)}${button('remove', id, 'Remove')}</div></li>`;
}

/** The name stands beside it. */
function face(id: Id): Html {
  return html`<img class="face" src="/faces/${id}.svg" alt="" width="48" height="48">`;
}

function photoImage(id: Id): Html {
  return html`<img data-key="p${id}" class="photo" src="/photos/${id}.svg" alt="${photoTitle(id)}" width="96" height="72">`;
}
