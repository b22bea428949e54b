import type { MastersOnRecord } from '../../src/index/on-record.ts';
import { tokenOn } from '../../src/mysql/epoch-token.ts';
import type { Product } from '../load-product.ts';
import type { WorldMove, WorldMoves } from '../search/worlds.ts';
import { nonceOf, proofOfServer } from '../servers/model-server.ts';
import type { Violation } from '../violation.ts';
import { readIndex } from './model-reads.ts';
import { ModelRecord } from './model-record.ts';
import {
  A_WHILE_MS,
  type Connected,
  type MasterName,
  type MastersScenario,
  type MastersWorld,
  type ProcessName,
} from './world.ts';

type Move = WorldMove<MastersWorld>;

const PROCESSES: readonly ProcessName[] = ['consumer', 'reader'];
const SERVER = proofOfServer('A');
const HOUR_MS = 3_600_000;

/** Everything that may happen to two masters, with the product's own record, reads, and rule of what counts. */
export class MastersMoves implements WorldMoves<MastersWorld> {
  readonly #code: Product['code'];
  readonly #scenario: MastersScenario;

  constructor(code: Product['code'], scenario: MastersScenario) {
    this.#code = code;
    this.#scenario = scenario;
  }

  start(): MastersWorld {
    const { name: _, ...left } = this.#scenario;
    const connected: Connected = { to: 'A', connection: 0, known: null, comparing: null };
    return {
      ...{ pair: 0, token: tokenOn(SERVER, nonceOf(0)), settings: {}, clock: HOUR_MS },
      ...{ indexes: { A: null, B: null }, replica: null },
      processes: { consumer: connected, reader: connected },
      ...{ batch: null, tasks: { high: 0, committed: 0 }, epochs: 0, left },
    };
  }

  async of(world: MastersWorld): Promise<readonly Move[]> {
    const compared = await Promise.all(PROCESSES.map((name) => this.#compare(world, name)));
    return [
      ...site(world),
      ...PROCESSES.flatMap((name) => [...move(world, name), ...build(world, name), ...ask(world, name)]),
      ...compared.flat(),
      ...consume(world),
      ...see(world),
      ...(await this.#acknowledge(world)),
      ...promote(world),
      ...wait(world),
      ...bump(world),
    ];
  }

  async isAtRest(world: MastersWorld): Promise<boolean> {
    const { tasks, batch } = world;
    const areKnown = PROCESSES.every((name) => !isDueFor(world, name));
    return tasks.committed === tasks.high && batch === null && areKnown;
  }

  /** E1: when no task waits, an index that a reader may use says what MySQL says. */
  async judge(world: MastersWorld): Promise<Violation | undefined> {
    const { pair, tasks, processes, indexes, token } = world;
    const { reader } = processes;
    const index = indexes[reader.to];
    if (index === null || index.pair === pair || tasks.committed < tasks.high) return undefined;
    const reading = await readIndex(this.#code, index, replicationOf(world, reader.to), knownOf(reader));
    if (reading?.state !== 'warm' || reading.epoch !== token) return undefined;
    return { rule: 'E1', what: `the index on ${reader.to} says ${index.pair}, and MySQL says ${pair}` };
  }

  /** The comparison asks MySQL. One that asked a master of an earlier connection ends without a word. */
  async #compare(world: MastersWorld, name: ProcessName): Promise<Move[]> {
    const { comparing, connection } = world.processes[name];
    if (comparing === null) return [];
    const ended = withProcess(world, name, { comparing: null });
    if (comparing.connection !== connection) return [{ world: ended, what: `the ${name}'s comparison is given up` }];
    const after = await this.#compared(ended, name, comparing.replicationId);
    const known = after.processes[name].known === null ? 'is refused' : 'is on record';
    return [{ world: after, what: `the ${name} compares: ${comparing.to} ${known}` }];
  }

  async #compared(world: MastersWorld, name: ProcessName, replicationId: string): Promise<MastersWorld> {
    const { connection } = world.processes[name];
    const record = new ModelRecord(world);
    const next = { nonce: nonceOf(world.epochs + 1), why: 'another Redis', bumpedAt: world.clock };
    const inUse = { identities: [replicationId], roles: ['index'], ownership: undefined } as const;
    const { recorded, epoch } = await this.#code.recordRedisMasters(record.database, inUse, next);
    const { token, settings } = record;
    const epochs = token === world.token ? world.epochs : world.epochs + 1;
    const known = { connection, replicationIds: [replicationId], epoch, ownership: undefined };
    return withProcess({ ...world, token, settings, epochs }, name, { known: recorded === 'in_turns' ? null : known });
  }

  /** The batch ends: what was written counts, or the tasks come again. */
  async #acknowledge(world: MastersWorld): Promise<Move[]> {
    const { batch, tasks } = world;
    if (!batch?.isWritten) return [];
    let now: MastersWorld = { ...world, batch: null };
    let isOver = false;
    const { whileOnRecord, RedisUnavailable } = this.#code;
    const work = async () => {
      isOver = true;
    };
    const done = await whileOnRecord(work, {
      known: () => (isOver ? knownOf(now.processes.consumer) : batch.known),
      compare: async () => {
        now = await this.#compared(now, 'consumer', replicationOf(now, now.processes.consumer.to));
        if (now.processes.consumer.known === null) throw new RedisUnavailable('it is not the one on record');
      },
      ownership: async () => undefined,
      switches: () => 0,
      epochSince: async () => batch.seen ?? now.token,
    }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof RedisUnavailable) return false;
        throw error;
      },
    );
    const after = done ? { ...now, tasks: { ...tasks, committed: batch.upTo } } : now;
    return [{ world: after, what: `the consumer ${done ? 'acknowledges' : 'gives back'} its tasks` }];
  }
}

function knownOf({ known, connection }: Connected): MastersOnRecord | undefined {
  return known?.connection === connection ? known : undefined;
}

function withProcess(world: MastersWorld, name: ProcessName, changed: Partial<Connected>): MastersWorld {
  return { ...world, processes: { ...world.processes, [name]: { ...world.processes[name], ...changed } } };
}

function less(world: MastersWorld, what: keyof MastersWorld['left']): MastersWorld {
  return { ...world, left: { ...world.left, [what]: world.left[what] - 1 } };
}

function site(world: MastersWorld): Move[] {
  const { left, pair, tasks } = world;
  if (left.changes === 0) return [];
  const after = { ...less(world, 'changes'), pair: pair + 1, tasks: { ...tasks, high: tasks.high + 1 } };
  return [{ world: after, what: `the site commits ${pair + 1}` }];
}

function move(world: MastersWorld, name: ProcessName): Move[] {
  if (world.left.moves === 0) return [];
  const { to, connection } = world.processes[name];
  const other: MasterName = to === 'A' ? 'B' : 'A';
  const after = withProcess(less(world, 'moves'), name, { to: other, connection: connection + 1, known: null });
  return [{ world: after, what: `the ${name} is connected to ${other}` }];
}

/** A comparison asks the master: after a new connection, because another epoch was seen, or at an interval. */
function ask(world: MastersWorld, name: ProcessName): Move[] {
  const { to, connection, comparing } = world.processes[name];
  if (comparing !== null || !isDueFor(world, name)) return [];
  const asked = { to, connection, replicationId: replicationOf(world, to) };
  return [{ world: withProcess(world, name, { comparing: asked }), what: `the ${name} asks ${to}` }];
}

/** Would a comparison find anything new? */
function isDueFor(world: MastersWorld, name: ProcessName): boolean {
  const process = world.processes[name];
  const known = knownOf(process);
  return known?.epoch !== world.token || !known.replicationIds.includes(replicationOf(world, process.to));
}

/** Another one after every promotion. */
function replicationOf({ left }: MastersWorld, name: MasterName): string {
  return name === 'A' ? `A${left.promotions}` : name;
}

/** A has a replica, which becomes the master; A receives what that one has, and is promoted again. */
function promote(world: MastersWorld): Move[] {
  const { indexes, left, replica } = world;
  if (left.promotions === 0) return [];
  const lost = { ...less(world, 'promotions'), indexes: { ...indexes, A: replica } };
  return [
    { world: { ...world, replica: indexes.A }, what: 'the replica of A receives what A has' },
    { world: lost, what: 'A becomes a replica, and is promoted again' },
  ];
}

/** An index is built wherever the process is connected to, whether that is on record or not. */
function build(world: MastersWorld, name: ProcessName): Move[] {
  const { indexes, processes, pair, token } = world;
  const { to } = processes[name];
  if (indexes[to]?.epoch === token) return [];
  const after = { ...world, indexes: { ...indexes, [to]: { pair, epoch: token } } };
  return [{ world: after, what: `the ${name} builds the index on ${to}` }];
}

function consume(world: MastersWorld): Move[] {
  const { batch, tasks, processes, indexes, pair, token } = world;
  const known = knownOf(processes.consumer);
  if (batch === null) {
    if (tasks.committed === tasks.high || known === undefined) return [];
    const begun = { known, upTo: tasks.high, isWritten: false, seen: null };
    return [{ world: { ...world, batch: begun }, what: 'the consumer takes its tasks' }];
  }
  if (batch.isWritten) return [];
  const { to } = processes.consumer;
  const there = indexes[to]?.epoch === token ? { pair, epoch: token } : null; // of another epoch: dropped; none: nothing to do
  const after = { ...world, indexes: { ...indexes, [to]: there }, batch: { ...batch, isWritten: true } };
  return [{ world: after, what: `the consumer writes to ${to}` }];
}

/** Some statement returns the epoch, while the batch is in progress. */
function see(world: MastersWorld): Move[] {
  const { batch, token } = world;
  if (batch === null || batch.seen === token) return [];
  return [
    { world: { ...world, batch: { ...batch, seen: token } }, what: 'a statement of the consumer returns the epoch' },
  ];
}

function wait(world: MastersWorld): Move[] {
  if (world.left.waits === 0) return [];
  return [{ world: { ...less(world, 'waits'), clock: world.clock + A_WHILE_MS }, what: 'time passes' }];
}

function bump(world: MastersWorld): Move[] {
  if (world.left.bumps === 0) return [];
  const epochs = world.epochs + 1;
  const after = { ...less(world, 'bumps'), token: tokenOn(SERVER, nonceOf(epochs)), epochs };
  return [{ world: after, what: 'an epoch begins' }];
}
