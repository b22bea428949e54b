import { describe, expect, it } from 'vitest';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';
import { CliProcess, type Settings } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { indexedSite } from '../support/indexed-site.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { until } from '../support/until.ts';

const USERS = Array.from({ length: 40 }, (_, i) => String(1 + i));
const CONTACTS = Array.from({ length: 15 }, (_, i) => String(101 + i));

/** Users with indexes, and an API that has answered `read` of them from these. */
async function serving(
  read: readonly string[],
): Promise<{ settings: Settings; ask: (user: string) => Promise<string> }> {
  const port = String(await freePort());
  const settings = { ...(await serviceSettings()), PORT: port };
  await indexedSite(settings, USERS, CONTACTS);
  const serve = new CliProcess(['serve'], settings).killAtEnd();
  await serve.says('answering at');
  const ask = async (user: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/users/${user}/contacts/recent?limit=3`);
    expect(answer.status).toBe(200);
    const body = (await answer.json()) as { contacts: { id: string }[]; answer: { source: string } };
    expect(body.contacts.map(({ id }) => id)).toEqual(['115', '114', '113']);
    return body.answer.source;
  };
  for (const user of read) await until(async () => (await ask(user)) === 'index');
  return { settings, ask };
}

async function warm(settings: Settings): Promise<number> {
  return (await runInProcess(['verify', '--json'], settings)).json().at(-1).warm;
}

describe('users who were read recently', () => {
  it('have their indexes built in the background after a new epoch, before they are read again', async () => {
    const { settings, ask } = await serving(USERS.slice(0, 30));
    expect((await runInProcess(['epoch', 'bump', '--why', 'the test wants it'], settings)).code).toBe(0);
    expect(await warm(settings)).toBe(0);
    expect(await ask('1')).toBe('database');
    await until(async () => (await warm(settings)) === 30, { interval: 200 });
    for (const user of USERS.slice(0, 30)) await until(async () => (await ask(user)) === 'index');
    expect(await warm(settings)).toBe(30); // nobody else
  });
});
