import type { Id } from '../../contracts/id.ts';
import { byKeyDescending, isAbove, type Key } from '../../contracts/key.ts';
import type { Kind } from '../../contracts/kind.ts';
import { RULES, wordedFor } from '../../query/verdict.ts';
import type { IndexSideBySide } from '../../repair/index-check.ts';
import { type Html, html } from '../html.ts';
import { exactTime } from '../layout.ts';
import { table } from '../parts.ts';

/**
 * A user's index beside plain SQL, with every difference marked as `verify` names it.
 * @param max contacts in an index: so many of plain SQL are shown, and the next one
 */
export function comparisonTable(found: IndexSideBySide, kind: Kind, max: number): Html {
  const { user, reading, truth, mismatches, clientVisible } = found;
  const indexed = new Map((reading.state === 'warm' ? reading.head : []).map((key) => [key.id, key]));
  const live = new Map(truth.map((key) => [key.id, key]));
  const best = new Set(truth.slice(0, max + 1).map(({ id }) => id));
  const isShown = ({ id }: Key) => best.has(id) || indexed.has(id) || mismatches.some(({ contact }) => contact === id);
  const all = [...new Map([...indexed, ...live]).values()].filter(isShown).toSorted(byKeyDescending);
  if (all.length === 0)
    return html`<p>Plain SQL finds no ${kind.singular} with an upload that this user may see, and the index has none.</p>`;
  const rows = all.map(({ id }) => [
    html`<a class="id" href="/console/user?user=${user}&amp;kind=${kind.name}&amp;contact=${id}">${id}</a>`,
    at(live.get(id)),
    at(indexed.get(id)),
    stateOf(found, id, indexed.get(id), live.get(id)),
  ]);
  const caption = `The index beside plain SQL: ${summary(found)}`;
  return html`${wholeIndex(found, kind)}
${table(caption, [kind.singular, 'last upload in plain SQL', 'in the index', 'difference'], rows)}
<p class="hint">Shown are the best ${max + 1} ${kind.name} of plain SQL, those in the index, and what differs. ${
    mismatches.length > 0 &&
    html`${clientVisible ? 'A client would notice. ' : 'No client would notice. '}A difference may be a change on its way: <code class="command">recency verify --user ${user}</code> waits for what is pending, and <code class="command">recency repair --user ${user}</code> fixes what is wrong.`
  }</p>`;
}

function summary({ reading, epochCurrent, mismatches }: IndexSideBySide): string {
  if (reading.state !== 'warm') return `the index is ${reading.state.replace('_', ' ')}`;
  if (epochCurrent === false) return 'the index is of another epoch';
  return mismatches.length === 0 ? 'no difference' : `${mismatches.length} different`;
}

/** What is wrong with the index as a whole. */
function wholeIndex({ mismatches }: IndexSideBySide, kind: Kind): Html {
  const found = mismatches.filter(({ contact }) => contact === undefined);
  return html`${found.map(
    (one) => html`<p class="notice problem"><strong>${one.class}</strong>: ${wordedFor(RULES[one.class], kind)}</p>`,
  )}`;
}

function at(key: Key | undefined): Html | string {
  return key === undefined ? '–' : exactTime(key.at);
}

function stateOf(
  { reading, epochCurrent, mismatches }: IndexSideBySide,
  id: Id,
  indexed?: Key,
  live?: Key,
): Html | string {
  const wrong = mismatches.find(({ contact }) => contact === id);
  if (wrong !== undefined) return html`<strong class="badge problem mark">${wrong.class}</strong>`;
  if (reading.state !== 'warm' || epochCurrent === false) return 'not used';
  if (indexed !== undefined) return 'same';
  return live !== undefined && isAbove(live, reading.floor) ? 'missing' : 'below the floor';
}
