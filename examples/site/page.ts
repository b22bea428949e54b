import type { components } from '@recency/client';
import type { Person } from './store.ts';

export interface PageParts {
  readonly me: Person;
  readonly people: readonly Person[];
  readonly recent: components['schemas']['RecentContacts'];
}

const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem }
  li { display: flex; gap: .5rem; align-items: baseline; padding: .25rem 0 }
  li > :first-child { flex: 1 }
  time, small { color: #666 }
  form { display: inline }
  .new { color: #06c }`;

/** The page of one person, without scripts: every change is a form. */
export function page({ me, people, recent }: PageParts): string {
  const contacts = recent.contacts.map(({ id, last_upload_at, unseen }) => ({
    ...personOf(people, id),
    at: last_upload_at,
    isNew: unseen,
  }));
  const others = people.filter(({ id }) => id !== me.id && !contacts.some((contact) => contact.id === id));
  return `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>${text(me.name)}</title><style>${STYLE}</style></head>
<body>
<h1>${text(me.name)}</h1>
<h2>Recently active</h2>
<ol id="recent">${contacts.map((contact) => contactRow(me, contact)).join('')}</ol>
<form method="post" action="/people/${me.id}/seen"><button name="through" value="${recent.answer.through}">Mark as seen</button></form>
<p><small>From the ${recent.answer.source}${recent.answer.exact ? '' : ', perhaps not exact'}.</small></p>
<h2>Other people</h2>
<ul id="others">${others.map((other) => row(text(other.name), [form(me, other, 'upload', 'Uploads a photo'), form(me, other, '', 'Add')])).join('')}</ul>
<p>Look at the page of ${people.map(({ id, name }) => `<a href="/people/${id}">${text(name)}</a>`).join(', ')}</p>
</body>
</html>`;
}

function contactRow(me: Person, contact: Person & { readonly at: string; readonly isNew: boolean }): string {
  const when = `<time datetime="${contact.at}">${contact.at.slice(0, 19).replace('T', ' ')}</time>`;
  const forms = [form(me, contact, 'upload', 'Uploads a photo'), form(me, contact, 'remove', 'Remove')];
  const dot = contact.isNew ? ' <b class="new" role="img" aria-label="new">●</b>' : '';
  return row(`${text(contact.name)} ${when}${dot}`, forms);
}

function row(what: string, forms: readonly string[]): string {
  return `<li><span>${what}</span>${forms.join('')}</li>`;
}

function form(me: Person, { id, name }: Person, action: '' | 'upload' | 'remove', label: string): string {
  const path = ['/people', me.id, 'contacts', ...(action === '' ? [] : [action])].join('/');
  return `<form method="post" action="${path}"><button name="contact" value="${id}" aria-label="${label}: ${text(name)}">${label}</button></form>`;
}

function personOf(people: readonly Person[], id: string): Person {
  return people.find((person) => person.id === id) ?? { id, name: `person ${id}` };
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function text(value: string): string {
  return value.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}
