import { FURTHER } from './further.ts';
import { LISTED } from './listed.ts';
import type { Mutation } from './mutation.ts';
import { OF_CAPTURE } from './of-capture.ts';
import { OF_KINDS } from './of-kinds.ts';
import { OF_MASTERS } from './of-masters.ts';
import { OF_OWNERS } from './of-owners.ts';
import { OF_SEGMENTS } from './of-segments.ts';
import { OF_SERVERS } from './of-servers.ts';
import { OF_WATCHES } from './of-watches.ts';

export const MUTATIONS: readonly Mutation[] = [
  ...LISTED,
  ...FURTHER,
  ...OF_KINDS,
  ...OF_SEGMENTS,
  ...OF_WATCHES,
  ...OF_SERVERS,
  ...OF_MASTERS,
  ...OF_OWNERS,
  ...OF_CAPTURE,
];

/** @throws where there is no such mutation */
export function mutationOf(rule: string): Mutation {
  const mutation = MUTATIONS.find((other) => other.rule === rule);
  if (mutation === undefined) throw new Error(`there is no rule '${rule}' to take out`);
  return mutation;
}
