import { serverOn, tokenOn } from '../../src/mysql/epoch-token.ts';
import type { TextRecord } from '../../src/redis/text-record.ts';
import type { Product } from '../load-product.ts';
import { readIndex } from '../masters/model-reads.ts';
import { ModelRecord } from '../masters/model-record.ts';
import { A_WHILE_MS } from '../masters/world.ts';
import type { WorldMove, WorldMoves } from '../search/worlds.ts';
import { nonceOf, proofOfServer } from '../servers/model-server.ts';
import type { Violation } from '../violation.ts';
import type { Begun, OwnersScenario, OwnersWorld, Process, ProcessName, Server } from './world.ts';

type Move = WorldMove<OwnersWorld>;

const PROCESSES: readonly ProcessName[] = ['consumer', 'reader'];
const HOUR_MS = 3_600_000;

const NO_KEYS = { index: null, owner: null, marks: { consumer: 0, reader: 0 } };

const NO_LOOK = { mark: 0, looked: null, owes: false };

/** Everything that may happen to a server, its copy and two databases of Redis, with the product's own claim, record and rule of what counts. */
export class OwnersMoves implements WorldMoves<OwnersWorld> {
  readonly #code: Product['code'];
  readonly #scenario: OwnersScenario;

  constructor(code: Product['code'], scenario: OwnersScenario) {
    this.#code = code;
    this.#scenario = scenario;
  }

  /** Both processes have compared. */
  async start(): Promise<OwnersWorld> {
    const { name: _, names, ...left } = this.#scenario;
    const server: Server = { pair: 0, token: tokenOn(proofOfServer('A'), nonceOf(0)), settings: {} };
    const process: Process = { server: 'A', known: null, claimed: null, seen: 'A', switches: 0, ...NO_LOOK };
    let world: OwnersWorld = {
      ...{ servers: { A: server, B: server }, shown: NO_KEYS, hidden: NO_KEYS },
      processes: { consumer: process, reader: process },
      ...{ batch: null, tasks: { high: 0, committed: 0 }, raised: null, applied: 0 },
      ...{ saved: null, setBackAt: null, clock: HOUR_MS, epochs: 0, ids: 0, left },
    };
    for (const name of PROCESSES) world = (await this.#recorded(await this.#claimed(world, name), name)) ?? world;
    for (const name of PROCESSES) world = looked(world, name);
    const { A } = world.servers;
    const B = names === 'itself' ? { ...A, token: tokenOn(proofOfServer('B'), nonceOf(0)) } : A;
    return { ...world, servers: { A, B } };
  }

  async of(world: OwnersWorld): Promise<readonly Move[]> {
    const compared = await Promise.all(PROCESSES.map((name) => this.#compare(world, name)));
    return [
      ...compared.flat(),
      ...PROCESSES.flatMap((name) => build(world, name)),
      ...consume(world),
      ...(await this.#acknowledge(world)),
      ...raise(world),
      ...(await this.#measured(world)),
      ...site(world),
      ...lead(world),
      ...swap(world),
      ...save(world),
      ...setBack(world),
      ...PROCESSES.flatMap((name) => look(world, name)),
      ...wait(world),
    ];
  }

  async isAtRest({ tasks, batch, processes, servers, applied }: OwnersWorld): Promise<boolean> {
    const isKnown = processes.reader.known?.epoch === servers.A.token;
    return tasks.committed === tasks.high && batch === null && isKnown && applied === tasks.high;
  }

  /** E1: an index that a reader may use has everything that is known to be applied. */
  async judge(world: OwnersWorld): Promise<Violation | undefined> {
    const { servers, shown, processes, applied } = world;
    const { index } = shown;
    if (index === null || index.pair >= applied || isYetToBeFound(world)) return undefined;
    const reading = await readIndex(this.#code, index, 'R', processes.reader.known ?? undefined);
    if (reading?.state !== 'warm' || reading.epoch !== servers.A.token) return undefined;
    return { rule: 'E1', what: `the index says ${index.pair}, and ${applied} counts as applied` };
  }

  /** @returns undefined: Redis or MySQL counts as unavailable */
  async #available<T>(ask: () => Promise<T>): Promise<T | undefined> {
    try {
      return await ask();
    } catch (error) {
      const { RedisUnavailable, DatabaseNotPrimary } = this.#code;
      if (error instanceof RedisUnavailable || error instanceof DatabaseNotPrimary) return undefined;
      throw error;
    }
  }

  /** A comparison claims the indexes, and then asks MySQL, which may be another server by then. */
  async #compare(world: OwnersWorld, name: ProcessName): Promise<Move[]> {
    const { known, claimed, server, owes } = world.processes[name];
    if (claimed !== null) {
      const after = await this.#recorded(world, name);
      const what = `the ${name} ${after === undefined ? 'cannot compare' : 'compares'} on ${server}`;
      return [{ world: after ?? withProcess(world, name, { claimed: null }), what }];
    }
    const { token } = world.servers[server];
    const isKnown = known?.epoch === token && known.ownership === ownerIn(world);
    if (isKnown && isOnRecord(world, name) && !owes) return [];
    const after = await this.#claimed(world, name);
    const as = after.processes[name].claimed;
    return [{ world: after, what: `the ${name} ${as === null ? 'is refused' : `claims the indexes (${as.id})`}` }];
  }

  /** The server is put on record if it is not. */
  async #claimed(unseen: OwnersWorld, name: ProcessName): Promise<OwnersWorld> {
    const world = saw(onRecord(unseen, name), name);
    const { server } = world.processes[name];
    let { owner } = world.shown;
    let { ids } = world;
    const record = {
      read: async () => owner ?? undefined,
      replace: async (_before: string | undefined, after: string) => {
        owner = after;
        return true;
      },
    } as TextRecord;
    const freshId = () => `id${++ids}`;
    const readEpoch = async () => world.servers[server].token;
    const options = { readEpoch, takesOver: name === 'consumer', freshId, now: () => world.clock };
    const { owes, looked } = world.processes[name];
    if (owes && looked !== null) await this.#code.renew(record, looked, options);
    const claimed = await this.#available(() => this.#code.claim(record, options));
    const after = withProcess({ ...world, ids, shown: { ...world.shown, owner } }, name, { owes: false });
    return withProcess(after, name, claimed === undefined ? { known: null } : { claimed });
  }

  /** @returns undefined: MySQL refuses */
  async #recorded(unseen: OwnersWorld, name: ProcessName): Promise<OwnersWorld | undefined> {
    const world = withProcess(unseen, name, { claimed: null });
    const { server, claimed } = unseen.processes[name];
    if (!isOnRecord(world, name)) return undefined;
    const record = new ModelRecord(world.servers[server], server);
    const next = { nonce: nonceOf(world.epochs + 1), why: 'another Redis', bumpedAt: world.clock };
    const inUse = { identities: ['R'], roles: ['index'], ownership: claimed ?? undefined } as const;
    const compared = await this.#available(() => this.#code.recordRedisMasters(record.database, inUse, next));
    if (compared === undefined) return undefined;
    const { token, settings } = record;
    const before = world.servers[server];
    const epochs = token === before.token ? world.epochs : world.epochs + 1;
    const servers = { ...world.servers, [server]: { ...before, token, settings } };
    const known = { connection: 0, replicationIds: ['R'], epoch: compared.epoch, ownership: claimed?.id };
    return withProcess(saw({ ...world, servers, epochs }, name), name, { known });
  }

  /** The batch ends: what was written counts, or the tasks come again. */
  async #acknowledge(world: OwnersWorld): Promise<Move[]> {
    const { batch, tasks } = world;
    if (!batch?.isWritten) return [];
    const { done, now } = await this.#ended({ ...world, batch: null }, 'consumer', batch);
    const after = done ? { ...now, tasks: { ...tasks, committed: batch.upTo } } : now;
    return [{ world: after, what: `the consumer ${done ? 'acknowledges' : 'gives back'} its tasks` }];
  }

  async #measured(world: OwnersWorld): Promise<Move[]> {
    const { raised, tasks, applied } = world;
    const begun = begin(world, 'reader');
    if (raised === null || tasks.committed < raised || begun === undefined) return [];
    const { done, now } = await this.#ended({ ...world, raised: null }, 'reader', begun);
    const after = done ? { ...now, applied: Math.max(applied, raised) } : now;
    return [{ world: after, what: `the reader measures: ${done ? raised : 'nothing'} is applied` }];
  }

  /** Did what began then count, by what is known now? */
  async #ended(world: OwnersWorld, name: ProcessName, begun: Begun): Promise<{ done: boolean; now: OwnersWorld }> {
    const { whileOnRecord, RedisUnavailable } = this.#code;
    let now = world;
    let isOver = false;
    const work = async () => {
      isOver = true;
      return true;
    };
    const compare = async () => {
      now = await this.#claimed(now, name);
      if (now.processes[name].claimed === null) throw new RedisUnavailable('it is refused');
      const recorded = await this.#recorded(now, name);
      if (recorded === undefined) throw new RedisUnavailable('MySQL refuses');
      now = recorded;
    };
    const done = await this.#available(() =>
      whileOnRecord(work, {
        known: () => (isOver ? (now.processes[name].known ?? undefined) : begun.known),
        compare,
        ownership: async () => (isOver ? ownerIn(now) : idIn(begun.owner)),
        switches: () => (isOver ? now.processes[name].switches : begun.switches),
        epochSince: async () => {
          if (begun.epoch !== null) return begun.epoch;
          if (!isOnRecord(now, name)) throw new RedisUnavailable('MySQL is not on record');
          now = saw(now, name);
          return now.servers[now.processes[name].server].token;
        },
      }),
    );
    return { done: done === true, now };
  }
}

function idIn(owner: string | null): string | undefined {
  return owner === null ? undefined : (JSON.parse(owner) as { id: string }).id;
}

function ownerIn({ shown }: OwnersWorld): string | undefined {
  return idIn(shown.owner);
}

function withProcess(world: OwnersWorld, name: ProcessName, changed: Partial<Process>): OwnersWorld {
  return { ...world, processes: { ...world.processes, [name]: { ...world.processes[name], ...changed } } };
}

/** Rows of the server that its address leads to have come to the process. */
function saw(world: OwnersWorld, name: ProcessName): OwnersWorld {
  const { server, seen, switches } = world.processes[name];
  return server === seen ? world : withProcess(world, name, { seen: server, switches: switches + 1 });
}

/** Is the server that its address leads to the one that its own epoch names? */
function isOnRecord({ servers, processes }: OwnersWorld, name: ProcessName): boolean {
  const { server } = processes[name];
  return serverOn(servers[server].token) === proofOfServer(server);
}

function onRecord(world: OwnersWorld, name: ProcessName): OwnersWorld {
  if (isOnRecord(world, name)) return world;
  const { server } = world.processes[name];
  const epochs = world.epochs + 1;
  const token = tokenOn(proofOfServer(server), nonceOf(epochs));
  return { ...world, epochs, servers: { ...world.servers, [server]: { ...world.servers[server], token } } };
}

function less(world: OwnersWorld, what: keyof OwnersWorld['left']): OwnersWorld {
  return { ...world, left: { ...world.left, [what]: world.left[what] - 1 } };
}

function site(world: OwnersWorld): Move[] {
  const { left, servers, tasks } = world;
  if (left.changes === 0) return [];
  const pair = servers.A.pair + 1;
  const changed = { servers: { ...servers, A: { ...servers.A, pair } }, tasks: { ...tasks, high: tasks.high + 1 } };
  return [{ world: { ...less(world, 'changes'), ...changed }, what: `the site commits ${pair}` }];
}

function lead(world: OwnersWorld): Move[] {
  if (world.left.moves === 0) return [];
  const server = world.processes.consumer.server === 'A' ? 'B' : 'A';
  const after = withProcess(less(world, 'moves'), 'consumer', { server });
  return [{ world: after, what: `the consumer is led to the ${server === 'A' ? 'original' : 'copy'}` }];
}

function swap(world: OwnersWorld): Move[] {
  const { shown, hidden, batch, left } = world;
  if (left.swaps === 0 || batch?.isExchanged) return []; // not noticed: docs/exactness.md
  const after = { shown: hidden, hidden: shown, batch: batch && { ...batch, isExchanged: true } };
  return [{ world: { ...less(world, 'swaps'), ...after }, what: 'the databases are exchanged' }];
}

function save(world: OwnersWorld): Move[] {
  const { left, saved, shown } = world;
  if (left.saves === 0 || saved !== null) return [];
  return [{ world: { ...less(world, 'saves'), saved: shown }, what: 'Redis saves a file' }];
}

/** A process has looked since: what was lost without that is not noticed (docs/exactness.md). */
function setBack(world: OwnersWorld): Move[] {
  const { saved, processes, epochs } = world;
  if (saved === null || !PROCESSES.some((name) => processes[name].mark > saved.marks[name])) return [];
  return [{ world: { ...world, shown: saved, saved: null, setBackAt: epochs }, what: 'Redis reads the file again' }];
}

/** Answers in between may lack what was lost; there is no more of that once all have looked, and compared. */
function isYetToBeFound(world: OwnersWorld): boolean {
  const { setBackAt, epochs, processes, shown } = world;
  const isOutstanding = (name: ProcessName) => {
    const { owes, known, claimed } = processes[name];
    return owes || claimed !== null || isMarkGone(world, name) || known?.ownership !== idIn(shown.owner);
  };
  return setBackAt === epochs && PROCESSES.some(isOutstanding);
}

function isMarkGone({ shown, processes }: OwnersWorld, name: ProcessName): boolean {
  return shown.marks[name] !== processes[name].mark;
}

/** A process looks when there is something to see, or to be seen later. */
function look(world: OwnersWorld, name: ProcessName): Move[] {
  const { saved, processes } = world;
  if (isMarkGone(world, name)) {
    const after = { owes: true, known: null };
    return [{ world: withProcess(marked(world, name), name, after), what: `the ${name} misses its mark` }];
  }
  if (saved?.marks[name] !== processes[name].mark) return [];
  return [{ world: looked(world, name), what: `the ${name} finds its mark` }];
}

function looked(world: OwnersWorld, name: ProcessName): OwnersWorld {
  return withProcess(marked(world, name), name, { looked: ownerIn(world) ?? null });
}

function marked(world: OwnersWorld, name: ProcessName): OwnersWorld {
  const mark = world.processes[name].mark + 1;
  const shown = { ...world.shown, marks: { ...world.shown.marks, [name]: mark } };
  return withProcess({ ...world, shown }, name, { mark });
}

function wait(world: OwnersWorld): Move[] {
  if (world.left.waits === 0) return [];
  return [{ world: { ...less(world, 'waits'), clock: world.clock + A_WHILE_MS }, what: 'time passes' }];
}

/** An index is built from the rows of its server, whosever the indexes are. */
function build(world: OwnersWorld, name: ProcessName): Move[] {
  const { servers, processes, shown } = world;
  const { pair, token } = servers[processes[name].server];
  if (!isOnRecord(world, name) || shown.index?.epoch === token) return [];
  const after = { ...saw(world, name), shown: { ...shown, index: { pair, epoch: token } } };
  return [{ world: after, what: `the ${name} builds the index (${pair})` }];
}

function begin(world: OwnersWorld, name: ProcessName): Begun | undefined {
  const { known, switches } = world.processes[name];
  if (known === null) return undefined;
  return { known, owner: world.shown.owner, switches, epoch: null };
}

function consume(world: OwnersWorld): Move[] {
  const { batch, tasks, processes, servers, shown } = world;
  if (batch === null) {
    const begun = begin(world, 'consumer');
    if (tasks.committed === tasks.high || begun === undefined) return [];
    return [
      {
        world: { ...world, batch: { ...begun, upTo: tasks.high, isExchanged: false, isWritten: false } },
        what: 'the consumer takes its tasks',
      },
    ];
  }
  if (batch.isWritten || !isOnRecord(world, 'consumer')) return [];
  const { pair, token } = servers[processes.consumer.server];
  // On the copy, which is older, nobody has this contact: there is nothing to refresh.
  const index = shown.index?.epoch === token ? { pair, epoch: token } : shown.index;
  const after = {
    ...saw(world, 'consumer'),
    shown: { ...shown, index },
    batch: { ...batch, isWritten: true, epoch: token },
  };
  return [{ world: after, what: 'the consumer writes' }];
}

function raise(world: OwnersWorld): Move[] {
  const { raised, tasks, applied } = world;
  if (raised !== null || applied === tasks.high) return [];
  return [{ world: { ...world, raised: tasks.high }, what: 'the reader raises a barrier' }];
}
