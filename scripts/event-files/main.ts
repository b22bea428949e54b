/**
 * Prints the files of the product whose functions run for one event: a contact task, an upload and a warm read, each in the process
 * that does it, and a task that is posted. Listed are the files with a function that ran more often in every window with one event than
 * in any without. On a busy machine the windows differ, and the list is too long: measure on a quiet one.
 *
 *     node scripts/event-files/main.ts
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../../src/config/environment.ts';
import { KINDS } from '../../src/contracts/kind.ts';
import { migrate } from '../../src/mysql/migrate.ts';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';
import { type Namespace, namespaceOn } from '../../src/tools/harness/namespace.ts';
import { removeTraces } from '../../src/tools/harness/remove-traces.ts';
import { startServers } from '../../src/tools/harness/servers.ts';
import { loadGraph } from '../../src/tools/reference-site/load-graph.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import type { Calls } from './report-calls.ts';

/** With an event in each, and without. */
const WINDOWS = 5;

/** Longer than an event takes, ms. */
const EVENT_MS = 2_000;

/** For the processes to become ready, on a busy machine, ms. */
const START_MS = 600_000;

const PRELOAD = fileURLToPath(new URL('report-calls.ts', import.meta.url));
const RECENCY = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/** Everybody is a contact of everybody, and has a photo. */
const USERS = Array.from({ length: 30 }, (_, i) => String(i + 1));

await using resources = new AsyncDisposableStack();
const servers = await startServers({ transport: undefined, install: false });
resources.defer(() => servers.stack.stop());
const namespace = namespaceOn(servers.stack, { purpose: 'bench', transport: servers.transport });
resources.defer(() => removeTraces(servers, namespace));
await load(namespace);

const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const serve = start('serve', { HOST: '127.0.0.1', PORT: String(port) });
const consume = start('consume', {});
const read = () => request('/v1/users/1/contacts/recent?limit=5');
const post = (task: object) => request('/v1/tasks', { method: 'POST', body: JSON.stringify(task) });
const contactTask = { type: 'recency.contact.changed', user: '1', contact: '2' };
const upload = { type: 'recency.photo.uploaded', owner: '2', photo: '2' };

await until(() => read().catch(() => false));
await until(async () => {
  await Promise.all([post(contactTask), read()]);
  await pause(EVENT_MS);
  return Object.keys(await callsOf(consume)).some((called) => called.startsWith('index/refresh.ts'));
});

await print('a contact task', consume, () => post(contactTask));
await print('an upload', consume, () => post(upload));
await print('a warm read', serve, read);
await print('POST /v1/tasks', serve, () => post(contactTask));

async function load({ config }: Namespace): Promise<void> {
  await migrate({ url: config.mysqlUrl, kinds: KINDS });
  const pool = openSitePool(config.mysqlUrl);
  const contacts = USERS.flatMap((user) =>
    USERS.filter((contact) => contact !== user).map((contact) => ({ user, contact })),
  );
  const photos = USERS.map((owner, i) => ({ owner, audience: 0 as const, uploadedAt: 1_000_000_000_000 + i }));
  await loadGraph(pool, { users: USERS.map((id) => ({ id })), contacts, photos });
  await pool.end();
}

function start(command: string, settings: Namespace['settings']): ChildProcess {
  const env = childEnvironment({ ...namespace.settings, ...settings });
  const child = fork(RECENCY, [command], {
    execArgv: ['--import', PRELOAD],
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  resources.defer(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  return child;
}

/** @throws Error when the answer says that it failed */
async function request(
  path: string,
  { method = 'GET', body }: { method?: string; body?: string } = {},
): Promise<boolean> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return true;
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + START_MS;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error('the processes do not become ready');
    await pause(EVENT_MS / 4);
  }
}

async function callsOf(child: ChildProcess): Promise<Calls> {
  const answer = once(child, 'message');
  child.send('calls');
  const [calls] = await answer;
  return calls as Calls;
}

async function print(name: string, child: ChildProcess, event: () => Promise<unknown>): Promise<void> {
  const windows = async (act: () => Promise<unknown>): Promise<readonly Calls[]> => {
    const all: Calls[] = [];
    await callsOf(child);
    for (let i = 0; i < WINDOWS; i++) {
      await act();
      await pause(EVENT_MS);
      all.push(await callsOf(child));
    }
    return all;
  };
  const idle = await windows(async () => undefined);
  const [first = {}, ...others] = await windows(event);
  const most = (called: string) => Math.max(...idle.map((calls) => calls[called] ?? 0));
  const ran = Object.keys(first).filter((called) =>
    [first, ...others].every((calls) => (calls[called] ?? 0) > most(called)),
  );
  const files = [...new Set(ran.map((called) => called.split(' ')[0]))].sort();
  process.stdout.write(`${name}: ${files.length} files\n${files.map((file) => `  ${file}\n`).join('')}`);
}
