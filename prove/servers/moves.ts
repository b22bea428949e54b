import type { OthersRows } from '../../src/mysql/others-marks.ts';
import type { Product } from '../load-product.ts';
import type { WorldMove, WorldMoves } from '../search/worlds.ts';
import type { Violation } from '../violation.ts';
import { KEYS, ModelServer, nonceOf, proofOfServer, recordOf, under } from './model-server.ts';
import type { Channel, Mark, Rows, ServerName, ServersScenario, ServersWorld } from './world.ts';

type Move = WorldMove<ServersWorld>;

const HOUR_MS = 3_600_000;
const MINE = new Set([0]);

/** Everything that may happen to two servers, with the product's own comparison, marks and inspection of positions. */
export class ServersMoves implements WorldMoves<ServersWorld> {
  readonly #code: Product['code'];
  readonly #scenario: ServersScenario;

  constructor(code: Product['code'], scenario: ServersScenario) {
    this.#code = code;
    this.#scenario = scenario;
  }

  start(): ServersWorld {
    const { servers, name: _, ...left } = this.#scenario;
    const empty: Rows = { [KEYS.pair]: 0, [KEYS.epoch]: nonceOf(0) };
    const rows = servers === 'backup' ? empty : { ...empty, ...recordOf('A') };
    const none: Channel = { transactions: [], received: 0 };
    return {
      servers: { A: { rows, isUp: true }, B: { rows, isUp: true } },
      channels: servers === 'backup' ? {} : servers === 'pair' ? { A: none, B: none } : { B: none },
      current: 'A',
      clock: HOUR_MS,
      index: { pair: 0, epoch: String(rows[KEYS.epoch]) },
      tasks: { high: 0, committed: 0, isMarked: true },
      epochs: 0,
      left,
    };
  }

  async of(world: ServersWorld): Promise<readonly Move[]> {
    return [
      ...site(world),
      ...publish(world),
      ...(await this.#publishAgain(world)),
      ...(await this.#compare(world)),
      ...(await this.#consume(world)),
      ...(await this.#build(world)),
      ...(await this.#beginEpoch(world)),
      ...replicate(world),
      ...faults(world),
    ];
  }

  /** Nothing is on its way to the server in use, to the transport, or to the index. */
  async isAtRest(world: ServersWorld): Promise<boolean> {
    const { servers, channels, current, tasks } = world;
    const { transactions, received } = channels[current] ?? { transactions: [], received: 0 };
    const isArriving = servers[otherOf(current)].isUp ? transactions.length > 0 : received > 0;
    const isPublished = outboxOf(world).every(([, mark]) => mark.length > 0);
    if (isArriving || !isPublished || tasks.committed < tasks.high || !tasks.isMarked) return false;
    return (await this.#isTrusted(world)) && (await this.#othersRows(world)).length === 0;
  }

  /** I1: at rest, an index of the epoch in force says what MySQL says. E1: so it does whenever a barrier raised now is passed. */
  async judge(world: ServersWorld): Promise<Violation | undefined> {
    const { index, servers, current } = world;
    const { rows } = servers[current];
    if (index?.epoch !== rows[KEYS.epoch] || index?.pair === rows[KEYS.pair]) return undefined;
    if (!(await this.#isTrusted(world))) return undefined; // its rows count as those of another epoch
    const rule = (await this.isAtRest(world)) ? 'I1' : (await this.#isExact(world)) ? 'E1' : undefined;
    if (rule === undefined) return undefined;
    return { rule, what: `the index says ${index?.pair}, and server ${current} says ${rows[KEYS.pair]}` };
  }

  /** Rows of the server in use count: it is the one on record. While nobody is, no process has compared it yet, and none uses it. */
  async #isTrusted(world: ServersWorld): Promise<boolean> {
    const proven = this.#code.readProvenEpoch(serverOf(world).database);
    return await proven.then(
      (token) => this.#code.serverOn(token) !== undefined,
      (error: unknown) => {
        if (error instanceof this.#code.DatabaseNotPrimary) return false;
        throw error;
      },
    );
  }

  /** Nothing is on its way, as far as a process can see that measures the lag. */
  async #isExact(world: ServersWorld): Promise<boolean> {
    if (!outboxOf(world).every(([, mark]) => mark.length > 0)) return false;
    if ((await this.#othersRows(world)).length > 0) return false;
    const raise = this.#code.strictKafkaBarrier({
      offsets: async () => [offsetsOf(world)],
      readEnds: async () => new Map([[0, BigInt(world.tasks.high)]]),
      readRecorded: async () => new Map(),
      hasStarted: async () => true,
      explainsForeign: async () => false,
    });
    return await (await raise([])).passed();
  }

  /** Rows that another server's relay has published, and that are to be published once more. */
  async #othersRows(world: ServersWorld): Promise<readonly [string, Mark][]> {
    const found = await this.#code.readOthersRows(serverOf(world).database);
    const isFound = ([by, at = 0]: Mark) =>
      found.some(({ mark, from, through }: OthersRows) => mark === by && at >= from && at <= through);
    return outboxOf(world).filter(([, mark]) => isFound(mark));
  }

  async #publishAgain(world: ServersWorld): Promise<Move[]> {
    const found = await this.#othersRows(world);
    if (found.length === 0) return [];
    return [
      { world: published(world, found), what: `the relay of ${world.current} publishes what another has marked` },
    ];
  }

  /** A process compares the server that answers. S2: one that has not applied what it has received is not put on record. */
  async #compare(world: ServersWorld): Promise<Move[]> {
    const { current, clock, epochs, channels } = world;
    const server = serverOf(world);
    const nonce = nonceOf(epochs + 1);
    const next = () => ({ nonce, why: 'another server', bumpedAt: clock });
    const compared = await this.#code.recordServer(server.database, next).catch((error: unknown) => {
      if (error instanceof this.#code.DatabaseNotPrimary) return undefined; // refused: it is tried again
      throw error;
    });
    if (server.written[KEYS.epoch] === undefined) return []; // refused, or on record already
    const behind = channels[current]?.received ?? 0;
    const broken =
      behind > 0 ? { rule: 'S2', what: `${current} is on record, and has not applied ${behind}` } : undefined;
    const after = { ...committed(world, server.written), epochs: epochs + 1 };
    return [{ world: after, what: `${current} is put on record: ${compared}`, broken }];
  }

  /** A consumer starts, which looks where its group stands, or does a task. */
  async #consume(world: ServersWorld): Promise<Move[]> {
    const { tasks } = world;
    const { high, committed: at, isMarked } = tasks;
    if (!isMarked) {
      const { losses } = this.#code.inspectOffsets([offsetsOf(world)], MINE, true);
      const isLost = losses.length > 0;
      const accepted = { ...world, tasks: { ...tasks, isMarked: true } };
      const after = isLost ? await this.#renewed(accepted) : accepted;
      return [{ world: after, what: `a consumer starts${isLost ? ', and finds a loss: a new epoch' : ''}` }];
    }
    if (at === high || !(await this.#isTrusted(world))) return [];
    const after = { ...world, tasks: { ...tasks, committed: at + 1 }, index: refreshed(world) };
    return [{ world: after, what: `a consumer does task ${at + 1}` }];
  }

  /** A read that finds the user cold has the index built. */
  async #build(world: ServersWorld): Promise<Move[]> {
    const { index, servers, current } = world;
    const { rows } = servers[current];
    if (index?.epoch === rows[KEYS.epoch] || !(await this.#isTrusted(world))) return [];
    return [{ world: { ...world, index: indexOf(rows) }, what: 'the index is built' }];
  }

  /** Tasks are found to be lost, or an operator wants a new epoch. */
  async #beginEpoch(world: ServersWorld): Promise<Move[]> {
    const { left, current } = world;
    if (left.bumps === 0) return [];
    const after = { ...(await this.#renewed(world)), left: { ...left, bumps: left.bumps - 1 } };
    return [{ world: after, what: `an epoch begins on ${current}` }];
  }

  async #renewed(world: ServersWorld): Promise<ServersWorld> {
    const { epochs, clock } = world;
    const server = serverOf(world);
    await this.#code.renewEpoch(server.database, { nonce: nonceOf(epochs + 1), why: 'a loss', bumpedAt: clock });
    return { ...committed(world, server.written), epochs: epochs + 1 };
  }
}

/** Where the group stands in the partition. */
const offsetsOf = ({ tasks: { high, committed: at, isMarked } }: ServersWorld) => ({
  ...{ partition: 0, committed: BigInt(at), low: 0n, high: BigInt(high) },
  ...(isMarked ? {} : { isForeign: true as const }),
});

const otherOf = (name: ServerName): ServerName => (name === 'A' ? 'B' : 'A');

function serverOf({ servers, channels, current }: ServersWorld): ModelServer {
  return new ModelServer(current, servers[current].rows, channels[current]);
}

const outboxOf = ({ servers, current }: ServersWorld) => under(servers[current].rows, KEYS.outbox) as [string, Mark][];

/** The server in use commits this, and the other one will get it. */
function committed(world: ServersWorld, written: Rows): ServersWorld {
  const { servers, channels, current } = world;
  const other = otherOf(current);
  const channel = channels[other];
  const after = { ...servers[current], rows: { ...servers[current].rows, ...written } };
  const sent = channel && { [other]: { ...channel, transactions: [...channel.transactions, written] } };
  return { ...world, servers: { ...servers, [current]: after }, channels: { ...channels, ...sent } };
}

/** The site changes the pair, and writes its row of the outbox, wherever the address leads. */
function site(world: ServersWorld): Move[] {
  const { left, current } = world;
  if (left.changes === 0) return [];
  const pair = left.changes;
  const after = committed(world, { [KEYS.pair]: pair, [`${KEYS.outbox}${pair}`]: [] });
  return [
    { world: { ...after, left: { ...left, changes: pair - 1 } }, what: `the site commits ${pair} on ${current}` },
  ];
}

function publish(world: ServersWorld): Move[] {
  const waiting = outboxOf(world).filter(([, mark]) => mark.length === 0);
  if (waiting.length === 0) return [];
  return [{ world: published(world, waiting), what: `the relay of ${world.current} publishes` }];
}

function published(world: ServersWorld, rows: readonly [string, Mark][]): ServersWorld {
  const { current, clock, tasks } = world;
  const mark: Mark = [proofOfServer(current), clock];
  const marked = Object.fromEntries(rows.map(([id]) => [`${KEYS.outbox}${id}`, mark]));
  return { ...committed(world, marked), tasks: { ...tasks, high: tasks.high + rows.length } };
}

/** An index of another epoch is dropped, as apply.lua does. */
function refreshed(world: ServersWorld): ServersWorld['index'] {
  const { index, servers, current } = world;
  const { rows } = servers[current];
  return index?.epoch === rows[KEYS.epoch] ? indexOf(rows) : null;
}

const indexOf = (rows: Rows) => ({ pair: Number(rows[KEYS.pair]), epoch: String(rows[KEYS.epoch]) });

function replicate(world: ServersWorld): Move[] {
  const { servers, channels } = world;
  return (Object.entries(channels) as [ServerName, Channel][]).flatMap(([to, channel]) => {
    const { transactions, received } = channel;
    const [first, ...rest] = transactions;
    const moves: Move[] = [];
    const into = (changed: Channel) => ({ ...channels, [to]: changed });
    if (servers[to].isUp && servers[otherOf(to)].isUp && received < transactions.length) {
      const all = into({ transactions, received: transactions.length });
      moves.push({ world: { ...world, channels: all }, what: `${to} receives what it lacks` });
    }
    if (servers[to].isUp && received > 0 && first !== undefined) {
      const applied = { ...servers[to], rows: { ...servers[to].rows, ...first } };
      const after = {
        ...world,
        servers: { ...servers, [to]: applied },
        channels: into({ transactions: rest, received: received - 1 }),
      };
      moves.push({ world: after, what: `${to} applies ${Object.keys(first).join(', ')}` });
    }
    return moves;
  });
}

function faults(world: ServersWorld): Move[] {
  const { servers, current, clock, left, tasks } = world;
  const other = otherOf(current);
  const moves: Move[] = [];
  if (left.switches > 0 && servers[other].isUp) {
    const dead = { ...servers, [current]: { ...servers[current], isUp: false } };
    const switched = { ...world, servers: dead, current: other, clock: clock + HOUR_MS };
    const after = { ...switched, left: { ...left, switches: left.switches - 1 } };
    moves.push({ world: after, what: `${current} dies, and the address leads to ${other}` });
  }
  if (left.returns > 0 && !servers[other].isUp) {
    const back = { ...servers, [other]: { ...servers[other], isUp: true } };
    moves.push({
      world: { ...world, servers: back, left: { ...left, returns: left.returns - 1 } },
      what: `${other} comes back`,
    });
  }
  if (left.moves > 0 && tasks.committed < tasks.high) {
    const moved = { ...tasks, committed: tasks.high, isMarked: false };
    moves.push({
      world: { ...world, tasks: moved, left: { ...left, moves: left.moves - 1 } },
      what: 'an operator moves the group to the end',
    });
  }
  return moves;
}
