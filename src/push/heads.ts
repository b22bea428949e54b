import type { Id } from '../contracts/id.ts';
import type { Key } from '../contracts/key.ts';
import { KINDS, type KindName } from '../contracts/kind.ts';
import type { Relation } from '../contracts/relation.ts';
import type { Watch } from '../contracts/watch.ts';
import type { RecentAnswer } from '../query/recent-answer.ts';
import type { RecentBatch } from '../query/recent-batch.ts';
import { chunks } from '../timing/batches.ts';
import { Deadline } from '../timing/deadline.ts';
import { type CheckOperation, type CheckSteps, checkStep, type HeadAsked } from './check-steps.ts';
import type { Head, Heads } from './told.ts';

interface HeadsOptions {
  /** The answers of each kind in use. */
  readonly answers: ReadonlyMap<string, Pick<RecentBatch, 'find'>>;
  /** Entries of a head: at most as many as an index may hold, and at least as many as it always holds, so that it is answered from there. */
  readonly entries: { readonly most: number; readonly least: number };
  /** Time limit of one question, ms. */
  readonly deadlineMs: number;
}

/** Users in one question. */
const USERS_A_QUESTION = 100;

/** The heads of live answers, asked for many users at once. */
export function headsFrom({ answers, entries: { most, least }, deadlineMs }: HeadsOptions): CheckSteps['heads'] {
  const depth = Math.ceil((most + least) / 2);
  return async (asked) => {
    const heads = new Map<HeadAsked, Head | undefined>();
    const ask = async (some: readonly HeadAsked[]) => {
      const [{ kind, relation } = { kind: 'contacts', relation: 'any' } as const] = some;
      const query = { relation, limit: most, atLeast: least, deadline: new Deadline(deadlineMs) };
      const users = some.map(({ user }) => user);
      const found = await answers.get(kind)?.find(users, query);
      for (const one of some) heads.set(one, headIn(found?.outcomes.get(one.user), depth));
    };
    const alike = [...Map.groupBy(asked, ({ kind, relation }) => `${kind} ${relation}`).values()];
    for (const some of alike.flatMap((group) => chunks(group, USERS_A_QUESTION))) await ask(some);
    return asked.map((one) => heads.get(one));
  };
}

/** Undefined: there is no answer, or one that is not certified. @param depth of the floor, in entries */
function headIn(
  outcome: { readonly answer: RecentAnswer } | { readonly error: unknown } | undefined,
  depth: number,
): Head | undefined {
  if (outcome === undefined || !('answer' in outcome) || !isCertified(outcome.answer)) return undefined;
  const { contacts, more } = outcome.answer;
  return headOf(
    contacts.map(({ id, at }: { id: Id; at: number }) => ({ id, at })),
    more,
    depth,
  );
}

/** @param more has the answer more below these entries? @param depth of the floor, in entries */
export function headOf(entries: readonly Key[], more: boolean, depth: number): Head {
  return more
    ? { entries, reach: entries.at(-1), floor: entries[Math.min(depth, entries.length) - 1] }
    : { entries, reach: undefined, floor: undefined };
}

/** A change that the index lacks for now is no matter: its task, once applied, has the user checked again. */
function isCertified({ exact, replica, reason }: RecentAnswer): boolean {
  return exact || (reason === 'lag' && !replica);
}

const WITH_RELATIONS: ReadonlySet<KindName> = new Set(
  KINDS.filter(({ hasRelations }) => hasRelations).map(({ name }) => name),
);

/** What a watch filters a kind by: it is told of everything of a kind without relations. */
export function relationOf({ relation }: Pick<Watch, 'relation'>, kind: KindName): Relation {
  return WITH_RELATIONS.has(kind) ? relation : 'any';
}

/** What the head that the watch was told was filtered by; older versions, which did not write it, filtered every kind. */
function toldRelationOf({ told, relation }: Pick<Watch, 'told' | 'relation'>, kind: KindName): Relation {
  return told[kind]?.relation ?? relation;
}

/** Was the watch told a head of this kind under the filter that it has now? */
export function isRecorded(watch: Watch, kind: KindName): boolean {
  return watch.told[kind] !== undefined && toldRelationOf(watch, kind) === relationOf(watch, kind);
}

/** The heads that a watch needs. */
export function askedBy(watch: Watch): HeadAsked[] {
  return watch.kinds.map((kind) => ({ user: watch.user, kind, relation: relationOf(watch, kind) }));
}

/** What the watch was told under another filter, which it no longer has. */
export function askedBefore(watch: Watch): HeadAsked[] {
  return watch.kinds
    .filter((kind) => watch.told[kind] !== undefined && !isRecorded(watch, kind))
    .map((kind) => ({ user: watch.user, kind, relation: toldRelationOf(watch, kind) }));
}

type KnownHeads = ReadonlyMap<string, Head | undefined>;

/** Each once. */
export function* headsOf(asked: readonly HeadAsked[]): CheckOperation<KnownHeads> {
  const different = new Map(asked.map((one) => [textOf(one), one]));
  if (different.size === 0) return new Map();
  const heads = yield* checkStep('heads', [...different.values()]);
  return new Map([...different.keys()].map((text, i) => [text, heads[i]]));
}

const textOf = ({ user, kind, relation }: HeadAsked) => `${user} ${kind} ${relation}`;

/** Undefined: one of them cannot be had now. */
export function headsFor(asked: readonly HeadAsked[], known: KnownHeads): Heads | undefined {
  const heads: Partial<Record<KindName, Head>> = {};
  for (const one of asked) {
    const head = known.get(textOf(one));
    if (head === undefined) return undefined;
    heads[one.kind] = head;
  }
  return heads;
}
