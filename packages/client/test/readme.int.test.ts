import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { sql } from '../../../test/support/servers.ts';
import { everybodyKnows } from '../../../test/support/small-site.ts';
import { runningApi } from './support/running-api.ts';

const folder = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(join(folder, 'README.md'), 'utf8');

/** Inside of the package, so that its name leads to its source. */
const scratch = mkdtempSync(join(folder, 'test', '.readme-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

it('the code of the README runs, in its order, as it is', async () => {
  const site = everybodyKnows(['42'], ['9', '7']);
  const ties = site.ties.map((tie) => ({ ...tie, friend: true })).filter(({ contact }) => contact !== '7');
  const { baseUrl, mysqlUrl } = await runningApi({ ...site, ties }, { TOKENS: 'only-for-a-trial:read,write,admin' });
  const { stdout, stderr, code } = await run(program(baseUrl, mysqlUrl));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.split('\n')).toEqual([
    '9 1970-01-01T00:00:01.000Z',
    expect.stringMatching(/^invalid_parameter user \S+$/),
    'then: 7,9',
    '',
  ]);
  const rows = await sql(mysqlUrl, 'SELECT type, user_id, other_id, version FROM recency_outbox');
  expect(rows).toEqual([{ type: 'recency.contact.added', user_id: 42, other_id: 7, version: 1 }]);
});

/** The blocks one after the other, with the address of this test, the connection that they assume, and a look at the end. */
function program(baseUrl: string, mysqlUrl: string): string {
  const blocks = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, block = '']) => block);
  expect(blocks).toHaveLength(3);
  const code = blocks.join('\n');
  expect(code).toContain("'http://127.0.0.1:8470'");
  return `
import { createConnection } from 'mysql2/promise';
const connection = await createConnection('${mysqlUrl}');
${code.replace('http://127.0.0.1:8470', baseUrl)}
const then = await recency.GET('/v1/users/{user}/contacts/recent', { params: { path: { user: '42' } } });
console.log('then: ' + then.data.contacts.map(({ id }) => id));
await connection.end();`;
}

async function run(code: string) {
  const file = join(scratch, 'readme.ts');
  writeFileSync(file, code);
  const child = spawn(process.execPath, ['--conditions=recency-source', file], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { stdout, stderr, code: status };
}
