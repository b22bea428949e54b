import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createConnection } from 'mysql2/promise';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Edge, readEdges } from '../../../src/tools/reference-site/edge-list.ts';
import { importEdges } from '../../../src/tools/reference-site/import-edges.ts';
import { ROWS_AT_ONCE } from '../../../src/tools/reference-site/load-graph.ts';
import { uploadPhoto } from '../../../src/tools/reference-site/photos.ts';
import { addContact } from '../../../src/tools/reference-site/relationships.ts';
import { openSitePool } from '../../../src/tools/reference-site/transaction.ts';
import { createUsers } from '../../../src/tools/reference-site/users.ts';
import { IMPORT } from '../../support/accounts.ts';
import { freshReferenceSite } from '../../support/reference-site.ts';
import { freshName, mysqlUrl } from '../../support/servers.ts';

const { url, pool, rows, empty } = await freshReferenceSite({ connections: 2 });
const database = new URL(url).pathname;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recency-edges-'));
  return () => rm(folder, { recursive: true });
});

beforeEach(empty);

async function fileOf(content: string | Buffer): Promise<string> {
  const file = join(folder, `${randomUUID()}.txt`);
  await writeFile(file, content);
  return file;
}

async function edgesOf(content: string | Buffer): Promise<Edge[]> {
  return await readAll(await fileOf(content));
}

async function readAll(file: string): Promise<Edge[]> {
  const edges: Edge[] = [];
  for await (const edge of readEdges(file)) edges.push(edge);
  return edges;
}

const LINES = '1 2 1082040961\n3 4 1082155839\n1\t2\t1082414391\n';
const EDGES = [
  { source: '1', target: '2', at: 1_082_040_961_000 },
  { source: '3', target: '4', at: 1_082_155_839_000 },
  { source: '1', target: '2', at: 1_082_414_391_000 },
];

describe('an edge list', () => {
  it.each([
    ['plain', LINES],
    ['gzip, whatever its name', gzipSync(LINES)],
    ['with a header', `SRC DST UNIXTS\n${LINES}`],
    ['with a header after comments', `# a network\n\n  src dst unix_seconds\n${LINES}`],
    ['with comments in between', LINES.replaceAll('\n', '\n# more\n')],
    ['with Windows line ends and blank lines', LINES.replaceAll('\n', '\r\n\r\n')],
    ['without an end of its last line', LINES.trimEnd()],
  ])('%s', async (_, content) => {
    expect(await edgesOf(content)).toEqual(EDGES);
  });

  it('of nothing', async () => {
    expect(await edgesOf('')).toEqual([]);
    expect(await edgesOf('#\n\nsrc dst t\n')).toEqual([]);
  });

  it('keeps ids to 2^64 - 1, and lines that a chunk cuts in two', async () => {
    const many = Array.from({ length: 20_000 }, (_, n) => `18446744073709551615 ${n + 1} ${n + 1}\n`).join('');
    const edges = await edgesOf(gzipSync(many));
    expect(edges).toHaveLength(20_000);
    expect(edges.at(-1)).toEqual({ source: '18446744073709551615', target: '20000', at: 20_000_000 });
  });

  it.each([
    ['0 2 5', /line 2: src "0" is not an id/],
    ['1 02 5', /line 2: dst "02" is not an id/],
    ['1 -2 5', /line 2: dst "-2"/],
    ['1 18446744073709551616 5', /line 2: dst "18446744073709551616"/],
    ['1 ٣ 5', /line 2: dst "٣"/],
    ['1 2', /line 2: 2 fields, not 3/],
    ['1 2 3 4', /line 2: 4 fields, not 3/],
    ['1 2 0', /line 2: unix_seconds "0"/],
    ['1 2 -5', /line 2: unix_seconds "-5"/],
    ['1 2 5.5', /line 2: unix_seconds "5.5"/],
    ['1 2 1e9', /line 2: unix_seconds "1e9"/],
    ['1 2 9007199254741', /line 2: unix_seconds "9007199254741"/],
    ['src dst time', /line 2: src "src"/],
    ['1,2,5', /line 2: 1 fields/],
  ])('refuses the line %j by its number', async (line, message) => {
    const refused = edgesOf(`1 2 5\n${line}\n`);
    await expect(refused).rejects.toMatchObject({ code: 'malformed_line', message: expect.stringMatching(message) });
  });

  it.each([
    ['cut short', gzipSync('1 2 5\n'.repeat(1000)).subarray(0, 30)],
    ['one endless line', 'x'.repeat(200_000)],
  ])('%s cannot be read', async (_, content) => {
    await expect(edgesOf(content)).rejects.toMatchObject({ code: 'unreadable_file' });
  });

  it.each(['missing.txt', '.'])('%s cannot be read', async (name) => {
    await expect(readAll(join(folder, name))).rejects.toMatchObject({ code: 'unreadable_file' });
  });
});

describe('an import', () => {
  it('makes users, a contact of each first src → dst, and a public photo of each line', async () => {
    const counts = await importEdges(pool, await fileOf(`${LINES}2 1 1082414400\n5 5 1082414401\n`));
    expect(counts).toEqual({ lines: 5, users: 5, contacts: 3, photos: 5 });
    expect(
      await rows('SELECT user_id, contact_id, related, last_upload_at FROM recency_contacts ORDER BY user_id'),
    ).toEqual([
      { user_id: '1', contact_id: '2', related: 1, last_upload_at: '1082414400000' },
      { user_id: '2', contact_id: '1', related: 1, last_upload_at: '1082414391000' },
      { user_id: '3', contact_id: '4', related: 1, last_upload_at: '0' },
    ]);
    expect(await rows('SELECT id, last_public_at FROM users ORDER BY id')).toEqual([
      { id: '1', last_public_at: '1082414391000' },
      { id: '2', last_public_at: '1082414400000' },
      { id: '3', last_public_at: '1082155839000' },
      { id: '4', last_public_at: '0' },
      { id: '5', last_public_at: '1082414401000' },
    ]);
    expect(await rows('SELECT DISTINCT audience FROM photos')).toEqual([{ audience: 0 }]);
  });

  it('adds to what is there, leaves no tasks and starts a new epoch', async () => {
    await createUsers(pool, ['1', '2']);
    await addContact(pool, '1', '2', { friend: true, family: false });
    await uploadPhoto(pool, '1', 0, 2_000_000_000_000);
    await pool.query('DELETE FROM recency_outbox');
    const before = await rows('SELECT token FROM recency_epoch');
    expect(await importEdges(pool, await fileOf(LINES))).toEqual({ lines: 3, users: 2, contacts: 1, photos: 3 });
    expect(await rows('SELECT is_friend, version FROM contacts WHERE user_id = 1')).toEqual([
      { is_friend: 1, version: '1' },
    ]);
    expect(await rows('SELECT last_public_at FROM users WHERE id = 1')).toEqual([{ last_public_at: '2000000000000' }]);
    expect(await rows('SELECT * FROM recency_outbox')).toEqual([]);
    expect(await rows('SELECT token FROM recency_epoch')).not.toEqual(before);
  });

  const LONG = Array.from({ length: 2 * ROWS_AT_ONCE + 7 }, (_, n) => `${(n % 50) + 1} ${(n % 70) + 60} ${n + 1}\n`);

  it('goes batch by batch and says how far it is', async () => {
    const seen: number[] = [];
    const counts = await importEdges(pool, await fileOf(LONG.join('')), {
      onProgress: ({ lines }) => seen.push(lines),
    });
    expect(seen).toEqual([ROWS_AT_ONCE, 2 * ROWS_AT_ONCE, 2 * ROWS_AT_ONCE + 7]);
    const pairs = new Set(LONG.map((line) => line.split(' ').slice(0, 2).join(' '))).size;
    expect(counts).toEqual({ lines: LONG.length, users: 120, contacts: pairs, photos: LONG.length });
  });

  it('of the same file again adds nothing, and begins no new epoch', async () => {
    // Lines of one owner and second: twice the same one, and some that lie batches apart.
    const file = await fileOf(`${LONG.join('')}1 2 5\n1 3 5\n1 3 5\n`);
    const first = await importEdges(pool, file);
    expect(first.photos).toBe(LONG.length + 3);
    const all = () => rows('SELECT id, owner_id, uploaded_at FROM photos ORDER BY id');
    const [before, epoch] = [await all(), await rows('SELECT token FROM recency_epoch')];
    expect(await importEdges(pool, file)).toEqual({ lines: first.lines, users: 0, contacts: 0, photos: 0 });
    expect(await all()).toEqual(before);
    expect(await rows('SELECT token FROM recency_epoch')).toEqual(epoch);
  });

  it('of a file that has grown, or whose photos were in part removed or hidden, adds only what is missing', async () => {
    await importEdges(pool, await fileOf(LINES));
    await pool.query('DELETE FROM photos WHERE owner_id = 3');
    await pool.query('UPDATE photos SET audience = 4 WHERE owner_id = 1');
    const counts = await importEdges(pool, await fileOf(`7 1 9\n${LINES}`));
    expect(counts).toEqual({ lines: 4, users: 1, contacts: 1, photos: 2 });
  });

  it.each([
    ['a malformed line', 'malformed_line', {}],
    ['a signal', 'ABORT_ERR', { signal: true }],
  ])('leaves nothing after %s in a later batch', async (_, code, { signal }: { signal?: boolean }) => {
    const file = await fileOf(`${LONG.join('')}${signal ? '' : 'x y z 1\n'}`);
    const controller = new AbortController();
    const epoch = await rows('SELECT token FROM recency_epoch');
    const importing = importEdges(pool, file, {
      signal: controller.signal,
      onProgress: () => signal && controller.abort(),
    });
    await expect(importing).rejects.toMatchObject(signal ? { name: 'AbortError' } : { code });
    expect(await rows('SELECT id FROM users UNION SELECT user_id FROM contacts UNION SELECT id FROM photos')).toEqual(
      [],
    );
    expect(await rows('SELECT token FROM recency_epoch')).toEqual(epoch);
  });
});

it('is done by an account that may do no more than the documentation says', async () => {
  const user = freshName();
  const admin = await createConnection(mysqlUrl());
  await admin.query(`CREATE USER ${user} IDENTIFIED BY 'pw'`);
  await admin.query(`GRANT ${IMPORT} ON ${database.slice(1)}.* TO ${user}`);
  const own = openSitePool(
    Object.assign(new URL(mysqlUrl()), { username: user, password: 'pw', pathname: database }).href,
    1,
  );
  onTestFinished(async () => {
    await own.end();
    await admin.query(`DROP USER ${user}`);
    await admin.end();
  });
  const file = await fileOf('1 2 100\n2 1 200\n');
  expect(await importEdges(own, file)).toMatchObject({ lines: 2, contacts: 2, photos: 2 });
  expect(await importEdges(own, file)).toMatchObject({ lines: 2, contacts: 0, photos: 0 });
});
