import { fileURLToPath } from 'node:url';
import type { Pool } from 'mysql2/promise';
import { expect, it } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import { CONTACTS, GROUPS } from '../../src/contracts/kind.ts';
import { decodeThrough } from '../../src/contracts/seen.ts';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';
import { createGroup, joinGroup, leaveGroup } from '../../src/tools/reference-site/groups.ts';
import { changeVisibility, deletePhoto, uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { addToPool, removeFromPool } from '../../src/tools/reference-site/pools.ts';
import { addContact, removeContact } from '../../src/tools/reference-site/relationships.ts';
import { createUsers } from '../../src/tools/reference-site/users.ts';
import { CliProcess, type Settings, startProcess } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { plainUnseen, type SeenKind } from '../support/plain-unseen.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { freshSitePool } from '../support/small-site.ts';
import { until } from '../support/until.ts';

const USERS = ['1', '2', '3'] as const;
/** More than an index holds. Ids of one and of two digits, because equal times are ordered by the id as text. */
const OWNERS = Array.from({ length: 16 }, (_, i) => String(i + 5));
const GROUP_COUNT = 14;
const KINDS: readonly SeenKind[] = ['contacts', 'groups'];
const UNRULY_RELAY = fileURLToPath(new URL('../../src/tools/demo/processes/unruly-relay.ts', import.meta.url));

/** Rounds of changes, and after which of them what is killed. */
const ROUNDS = 60;
const KILLS = new Map<number, 'consume' | 'serve' | 'relay'>([
  [15, 'consume'],
  [30, 'serve'],
  [45, 'relay'],
]);

const oneOf = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)] as T;

/** The site, played at random. Times of photos are the present, so that what is uploaded is new until it is seen. */
class PlayedSite {
  readonly #pool: Pool;
  readonly #groups: Id[] = [];
  readonly #photos: Id[] = [];

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async begin(): Promise<void> {
    await createUsers(this.#pool, [...USERS, ...OWNERS]);
    for (const user of USERS) {
      for (const owner of OWNERS) {
        await addContact(this.#pool, user, owner, undefined, 1);
        await addContact(this.#pool, owner, user, { friend: true, family: false }, 1);
      }
    }
    for (let i = 0; i < GROUP_COUNT; i++) {
      const group = await createGroup(this.#pool);
      this.#groups.push(group);
      for (const user of USERS) await joinGroup(this.#pool, user, group, 1);
    }
    for (const owner of OWNERS) await this.#upload(owner);
  }

  async #upload(owner: Id): Promise<void> {
    const now = Date.now();
    const photo = await uploadPhoto(this.#pool, owner, oneOf([0, 0, 1, 4] as const), now);
    this.#photos.push(photo);
    await addToPool(this.#pool, oneOf(this.#groups), photo, now);
  }

  /** One change: mostly an upload, otherwise something that takes away what is new or gives it back. */
  async change(): Promise<void> {
    const pool = this.#pool;
    const [user, owner, group, photo] = [oneOf(USERS), oneOf(OWNERS), oneOf(this.#groups), oneOf(this.#photos)];
    const changes = [
      () => this.#upload(owner),
      () => this.#upload(owner),
      () => deletePhoto(pool, photo),
      () => changeVisibility(pool, photo, oneOf([0, 1, 4] as const)),
      async () => {
        await removeContact(pool, user, owner);
        await addContact(pool, user, owner, undefined, Date.now());
      },
      () => removeContact(pool, user, owner),
      () => addContact(pool, user, owner, undefined, Date.now()),
      () => leaveGroup(pool, user, group),
      () => joinGroup(pool, user, group, Date.now()),
      () => removeFromPool(pool, group, photo),
      () => addToPool(pool, group, photo, Date.now()).catch(() => undefined), // the photo may be gone
    ];
    await oneOf(changes)();
  }
}

/** A client of the API that takes a process that was killed for a request to be made again. */
class Devices {
  readonly #url: string;
  /** By user and kind, the highest time that a mark was accepted for. */
  readonly accepted = new Map<string, number>();
  readonly #tokens = new Map<string, string[]>();

  constructor(url: string) {
    this.#url = url;
  }

  /** @returns undefined: no answer, because nobody listens or the process was killed */
  async ask(path: string, init?: RequestInit) {
    const response = await fetch(this.#url + path, init).catch(() => undefined);
    const text = await response?.text().catch(() => undefined);
    if (response === undefined || text === undefined || response.status === 503) return undefined;
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  }

  /** Shows a page, and marks what this page or an earlier one shows, perhaps twice: of all, or of one source. */
  async look(user: Id, kind: SeenKind): Promise<void> {
    const list = `${user} ${kind}`;
    const shown = (await this.ask(`/v1/users/${user}/${kind}/recent?limit=3`))?.body;
    if (shown === undefined) return;
    const tokens = [shown.answer.through, ...(this.#tokens.get(list) ?? [])].slice(0, 8);
    this.#tokens.set(list, tokens);
    const through = oneOf(tokens);
    const source = shown[kind].length > 0 && Math.random() < 0.4 ? `/${oneOf<{ id: Id }>(shown[kind]).id}` : '';
    const body = JSON.stringify({ through });
    const init = { method: 'PUT', headers: { 'content-type': 'application/json' }, body };
    const path = `/v1/users/${user}/${kind}${source}/seen`;
    const marks = await Promise.all([this.ask(path, init), ...(Math.random() < 0.5 ? [this.ask(path, init)] : [])]);
    for (const mark of marks) if (mark !== undefined) expect(mark.status).toBe(204);
    const at = decodeThrough(through)?.[0]?.key?.at ?? 0;
    const isAccepted = source === '' && marks.some((mark) => mark !== undefined);
    if (isAccepted) this.accepted.set(list, Math.max(at, this.accepted.get(list) ?? 0));
  }
}

it('0 wrong: what is unseen, of contacts and of groups, while tasks come shuffled and twice, several devices mark, and processes are killed', async () => {
  const port = String(await freePort());
  const base = await serviceSettings('streams', [CONTACTS, GROUPS]);
  const settings: Settings & { MYSQL_URL: string } = { ...base, MAX: '12', MIN: '10', TAKEOVER_MS: '6000', PORT: port };
  const pool = freshSitePool(settings.MYSQL_URL);
  const site = new PlayedSite(pool);
  await site.begin();
  const devices = new Devices(`http://127.0.0.1:${port}`);

  const started = { serve: [] as CliProcess[], consume: [] as CliProcess[], relay: [] as CliProcess[] };
  const start = async (what: keyof typeof started) => {
    if (what !== 'relay') {
      started[what].push(await startProcess(what, what === 'serve' ? settings : { ...settings, PORT: '0' }));
      return;
    }
    const relay = new CliProcess(['1', ''], settings, { main: UNRULY_RELAY }).killAtEnd();
    started.relay.push(relay);
  };
  for (const what of ['relay', 'consume', 'consume', 'serve'] as const) await start(what);

  /** Between two equal readings of the truth, an answer may miss what is on its way, but shows nothing that is not new. */
  let compared = 0;
  const compare = async (user: Id, kind: SeenKind) => {
    const marked = devices.accepted.get(`${user} ${kind}`) ?? 0;
    const before = await plainUnseen(pool, kind, user);
    const listed = (await devices.ask(`/v1/users/${user}/${kind}/recent?unseen=true&limit=100`))?.body;
    const counted = (await devices.ask(`/v1/users/${user}/${kind}/unseen`))?.body;
    const after = await plainUnseen(pool, kind, user);
    for (const { id, last_upload_at: at } of listed?.[kind] ?? []) {
      expect(Date.parse(at), `${id}: marks never fall`).toBeGreaterThanOrEqual(marked);
    }
    if (listed === undefined || counted === undefined || before.join() !== after.join()) return;
    compared += 1;
    for (const { id, unseen } of listed[kind])
      expect({ id, unseen, isNew: before.includes(id) }).toMatchObject({ unseen: true, isNew: true });
    expect(counted.count).toBeGreaterThanOrEqual(0);
    expect(counted.count).toBeLessThanOrEqual(before.length);
  };

  for (let round = 0; round < ROUNDS; round++) {
    const changes = Array.from({ length: 3 }, () => site.change());
    const looks = Array.from({ length: 3 }, () => devices.look(oneOf(USERS), oneOf(KINDS)));
    await Promise.all([...changes, ...looks]);
    await compare(oneOf(USERS), oneOf(KINDS));
    const killed = KILLS.get(round);
    if (killed === undefined) continue;
    const victim = started[killed].shift();
    victim?.signal('SIGKILL');
    const replaced = victim?.ended.then(() => start(killed)); // its port is free then
    await Promise.all([replaced, devices.look(oneOf(USERS), oneOf(KINDS))]); // which may be cut off
  }
  expect(compared).toBeGreaterThan(ROUNDS / 4);

  // At rest.
  const sources = new Set<string>();
  await until(
    async () => {
      const found = await runInProcess(['verify', '--json'], settings);
      const { wrong, unsettled, answers_wrong } = JSON.parse(found.stdout.trim().split('\n').at(-1) ?? '{}');
      return wrong === 0 && unsettled === 0 && answers_wrong === 0;
    },
    { interval: 250 },
  );
  for (const user of USERS) {
    let all = 0;
    for (const kind of KINDS) {
      const truth = await plainUnseen(pool, kind, user);
      all += truth.length;
      const { body: listed } = await until(() => devices.ask(`/v1/users/${user}/${kind}/recent?unseen=true&limit=100`));
      expect(
        listed[kind].map(({ id }: { id: Id }) => id),
        `${user} ${kind}`,
      ).toEqual(truth);
      const { body: counted } = await until(() => devices.ask(`/v1/users/${user}/${kind}/unseen`));
      expect(counted).toMatchObject({ count: truth.length, at_least: false, answer: { exact: true } });
      sources.add(counted.answer.source);
      const mark = 'SELECT seen_at FROM recency_seen WHERE user_id = ? AND kind = ? AND source_id = 0';
      const [[row]] = (await pool.query(mark, [user, kind])) as unknown as [{ seen_at: number }[]];
      expect(Number(row?.seen_at ?? 0)).toBeGreaterThanOrEqual(devices.accepted.get(`${user} ${kind}`) ?? 0);
    }
    expect((await until(() => devices.ask(`/v1/users/${user}/unseen`))).body).toMatchObject({ count: all });
  }
  expect(sources).toContain('index');
  expect(devices.accepted.size).toBe(USERS.length * KINDS.length);
}, 600_000);
