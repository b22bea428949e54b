import { execFileSync } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { beforeAll, it, onTestFinished, vi } from 'vitest';
import { Database } from '../../../src/mysql/database.ts';
import { renewEpoch } from '../../../src/mysql/epoch.ts';
import { build, commandOf, packageFolder } from '../../support/built-package.ts';
import { CliProcess } from '../../support/cli.ts';
import { shortOrLong } from '../../support/length.ts';
import { closeAtEnd } from '../../support/servers.ts';
import { serviceSettings } from '../../support/service-settings.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../../support/small-site.ts';
import { until } from '../../support/until.ts';

const STREAMS = shortOrLong(2_000, 10_000);
const AT_ONCE = 50;
/** With them open, the whole process: without any it takes 120. */
const MOST_MB = shortOrLong(180, 300);

/** Left to itself, V8 collects garbage, and gives its memory back, in minutes: at this signal it does both at once. */
const COLLECT = 'SIGURG';
const COLLECTING = `--expose-gc --import=data:text/javascript,process.on('${COLLECT}',()=>gc({type:'major',flavor:'last-resort'}))`;

/** As docs/push.md advises: the garbage of a moment takes less room. */
const NODE_OPTIONS = `--max-semi-space-size=8 ${COLLECTING}`;

const USERS = Array.from({ length: STREAMS }, (_, i) => String(i + 1));
const CONTACTS = Array.from({ length: 12 }, (_, i) => String(i + 20_001));

interface Client {
  readonly socket: Socket;
  heads: number;
  last: string;
}

/** A client that costs this process little: one socket, and of what it reads only the last head's first row. */
async function openClient(port: number, user: string): Promise<Client> {
  const client: Client = { socket: connect(port, '127.0.0.1'), heads: 0, last: '' };
  const first = Promise.withResolvers<void>();
  client.socket.setEncoding('utf8');
  client.socket.on('error', first.reject);
  client.socket.on('data', (text: string) => {
    const ids = [...text.matchAll(/"contacts":\[\{"id":"(\d+)"/g)];
    client.heads += ids.length;
    client.last = ids.at(-1)?.[1] ?? client.last;
    if (client.heads > 0) first.resolve();
  });
  client.socket.write(`GET /v1/users/${user}/contacts/recent/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  await first.promise;
  return client;
}

// As installed: from the sources, Node's compiler takes 25 MB more.
const folder = packageFolder();
beforeAll(() => build(folder));

it(`a process with ${STREAMS} streams takes less than ${MOST_MB} MB, and each is told a change`, async () => {
  const settings = await serviceSettings();
  const pool = freshSitePool(settings.MYSQL_URL);
  await writeSite(pool, everybodyKnows(USERS, CONTACTS));
  vi.stubEnv('NODE_OPTIONS', NODE_OPTIONS);
  const serve = new CliProcess(['serve'], settings, commandOf(folder)).killAtEnd();
  await serve.says('answering at');
  const url = String(/"address":"(http:[^"]+)"/.exec(serve.stdout)?.[1]);
  const residentMb = () => Number(execFileSync('ps', ['-o', 'rss=', '-p', `${serve.pid}`], { encoding: 'utf8' })) / 1e3;
  const empty = residentMb();

  const clients: Client[] = [];
  onTestFinished(() => clients.forEach(({ socket }) => void socket.destroy()));
  for (let from = 0; from < STREAMS; from += AT_ONCE) {
    const some = USERS.slice(from, from + AT_ONCE);
    clients.push(...(await Promise.all(some.map((user) => openClient(Number(new URL(url).port), user)))));
  }
  const isCollected = () => {
    serve.signal(COLLECT);
    return residentMb() < MOST_MB;
  };
  await until(isCollected, { interval: 500, what: `less than ${MOST_MB} MB` });
  const open = residentMb();

  await pool.query('UPDATE users SET last_public_at = 9000 WHERE id = ?', [CONTACTS[0]]);
  const primary = new Database(settings.MYSQL_URL, { connections: 2, queue: 10, deadlineMs: 60_000 });
  closeAtEnd(() => primary.close());
  await renewEpoch(primary, { nonce: 'another', why: 'a test', bumpedAt: Date.now() });
  await until(() => clients.every(({ last }) => last === CONTACTS[0]), { what: 'every client was told' });
  const told = residentMb();

  console.log(`${STREAMS} streams: ${empty.toFixed()} MB before, ${open.toFixed()} open, ${told.toFixed()} told`);
}, 900_000);
