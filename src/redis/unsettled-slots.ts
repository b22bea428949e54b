/**
 * Slots of a Redis Cluster whose keys may come back as they were.
 *
 * While a slot moves, keys that have arrived at the other master are written there. If the move is broken off (SETSLOT STABLE), they
 * stay there, and nobody reaches them: their users are cold, so nothing is written to their indexes. When the move is made again, or
 * somebody gathers the keys (`redis-cli --cluster fix`), they count as they were.
 *
 * So a master that has keys of another's slot is another master than before: an epoch begins when that is seen, and once more when it
 * is over. Neither is needed for a move that goes on: its master sends whoever asks for a key that has left to the other one.
 */
import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import { HASH_TAGS } from './hash-tags.ts';
import { reply } from './unavailable.ts';

/** What a master says of itself. */
export interface SlotsOfMaster {
  /** Of the node. */
  readonly id: string;
  readonly owned: readonly (readonly [first: number, last: number])[];
  /** The moves under way to it and from it: slot and the other node's id. */
  readonly importing: ReadonlyMap<number, string>;
  readonly migrating: ReadonlyMap<number, string>;
  /** Slots, its own or not, in which it has keys. */
  readonly withKeys: readonly number[];
}

export interface SlotState {
  /** `<slot>`: it has keys of a slot that is another's; `<slot>-><node>`: it moves a slot to a master that is not among those asked. */
  readonly unsettled: readonly string[];
  /** Does any slot move to it or from it? */
  readonly isMoving: boolean;
}

/** @param read of all masters that can be asked; the states are in their order @throws RedisUnavailable */
export async function slotStatesOf(
  read: readonly { readonly node: Redis; readonly slots: SlotsOfMaster }[],
): Promise<SlotState[]> {
  const first = slotStates(read.map(({ slots }) => slots));
  if (first.every(({ unsettled }) => unsettled.length === 0)) return first;
  const again = slotStates(await Promise.all(read.map(({ node }) => readSlots(node)))); // they were not asked at one moment
  return again.map(({ unsettled, isMoving }, i) => {
    return { unsettled: unsettled.filter((slot) => first[i]?.unsettled.includes(slot)), isMoving };
  });
}

/** @param masters all that can be asked */
export function slotStates(masters: readonly SlotsOfMaster[]): SlotState[] {
  const ids = new Set(masters.map(({ id }) => id));
  return masters.map((master) => {
    const { migrating, importing, withKeys } = master;
    const isLeft = (slot: number) => !has(master, slot) && !isArriving(slot, master, masters);
    const unseen = [...migrating].filter(([, to]) => !ids.has(to)).map(([slot, to]) => `${slot}->${to}`);
    return {
      unsettled: [...withKeys.filter(isLeft).map(String), ...unseen],
      isMoving: migrating.size + importing.size > 0,
    };
  });
}

/** Is it on the way, so that its master sends whoever asks for a key that has left to this one? Without a master it is asked for nothing. */
function isArriving(slot: number, to: SlotsOfMaster, masters: readonly SlotsOfMaster[]): boolean {
  const from = masters.find((master) => has(master, slot));
  return to.importing.has(slot) && (from === undefined || from.migrating.get(slot) === to.id);
}

function has({ owned }: SlotsOfMaster, slot: number): boolean {
  return owned.some(([first, last]) => first <= slot && slot <= last);
}

const SCRIPT = readFileSync(new URL('./lua/slots-with-keys.lua', import.meta.url), 'utf8');

/** @throws RedisUnavailable */
export async function readSlots(node: Redis): Promise<SlotsOfMaster> {
  // In this order: keys that arrive in between belong to a move that is seen.
  const [withKeys, nodes] = await Promise.all([
    reply(node.eval(SCRIPT, 0, ...HASH_TAGS)),
    reply(node.cluster('NODES')),
  ]);
  return { ...slotsIn(String(nodes)), withKeys: [...new Set(withKeys as number[])].sort((a, b) => a - b) };
}

/** Fields before the slots on a line of CLUSTER NODES: https://redis.io/docs/latest/commands/cluster-nodes/ */
const FIELDS_BEFORE_SLOTS = 8;

function slotsIn(nodes: string): Omit<SlotsOfMaster, 'withKeys'> {
  const lines = nodes.split('\n').map((line) => line.split(' '));
  const own = lines.find(([, , flags]) => flags?.split(',').includes('myself')) ?? [];
  const slots = own.slice(FIELDS_BEFORE_SLOTS);
  const moves = (sign: string) =>
    new Map(
      slots.flatMap((text) => {
        const [slot, node] = text.slice(1, -1).split(sign);
        return text.startsWith('[') && slot !== undefined && node !== undefined ? [[Number(slot), node] as const] : [];
      }),
    );
  const ranges = slots.filter((text) => /^\d/.test(text)).map((text) => text.split('-').map(Number));
  return {
    id: own[0] ?? '',
    owned: ranges.map(([first = Number.NaN, last = first]) => [first, last] as const),
    importing: moves('-<-'),
    migrating: moves('->-'),
  };
}
