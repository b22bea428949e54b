import type { Id } from '../../src/contracts/id.ts';

/** By user and contact, the time of the newest photo that the user may see, ms since 1970 UTC. */
export type Truth = ReadonlyMap<Id, ReadonlyMap<Id, number>>;

/** What plain SQL over the base tables said between two moments, ms since 1970 UTC. */
export interface Sample {
  readonly begun: number;
  readonly ended: number;
  readonly truth: Truth;
}

/** A change whose transaction failed, so that nobody knows whether it was committed, until the next sample; ms since 1970 UTC. */
export interface Uncertain {
  readonly contact: Id;
  readonly from: number;
  readonly until: number;
}

/** The answer to one read. Times are ms since 1970 UTC. */
export interface Answer {
  readonly user: Id;
  readonly sentAt: number;
  readonly arrivedAt: number;
  readonly rows: readonly { readonly id: Id; readonly at: number }[];
  readonly exact: boolean;
  readonly source: string;
  /** All that was committed before it is in the answer (docs/exactness.md, "lag_ms bounds"); NaN: not known. */
  readonly upTo: number;
}

/** Each state of a contact is in a sample, the first of which was taken before any change. A whole page has `limit` rows. */
export interface Record {
  readonly contacts: readonly Id[];
  readonly samples: readonly Sample[];
  readonly uncertain: readonly Uncertain[];
  readonly limit: number;
}

/**
 * An answer that says it is exact shows each contact as plain SQL did at some moment between {@link Answer.upTo} and its arrival.
 * @returns what is wrong; undefined: nothing
 */
export function findWrong(answer: Answer, { contacts, samples, uncertain, limit }: Record): string | undefined {
  const { user, rows, upTo, arrivedAt } = answer;
  if (Number.isNaN(upTo)) return 'exact, and its lag is not known';
  if (rows.some(({ at }, i) => i > 0 && at >= (rows[i - 1]?.at ?? 0))) return 'not newest first';
  const first = Math.max(
    0,
    samples.findLastIndex(({ ended }) => ended <= upTo),
  );
  const last = samples.findIndex(({ begun }) => begun >= arrivedAt);
  const seen = samples.slice(first, last === -1 ? undefined : last + 1).map(({ truth }) => truth.get(user));
  const lowest = rows.length === limit ? (rows.at(-1)?.at ?? 0) : 0;
  for (const contact of contacts) {
    if (uncertain.some((one) => one.contact === contact && one.from <= arrivedAt && one.until >= upTo)) continue;
    const shown = rows.find(({ id }) => id === contact)?.at;
    const values = seen.map((truth) => truth?.get(contact));
    const isRight = values.some((at) => (shown === undefined ? (at ?? 0) <= lowest : at === shown));
    if (!isRight) return `contact ${contact} is shown with ${shown}, and was ${[...new Set(values)].join(', then ')}`;
  }
  return undefined;
}
