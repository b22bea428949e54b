/** "Several sites on one installation" of docs/operations.md: two sites with the settings of its block, on the same servers. */
import { expect, it } from 'vitest';
import { type Settings, startProcess } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { indexedSite, unpublished } from '../support/indexed-site.ts';
import { blocksOf } from '../support/page-blocks.ts';
import { freshPrefix, sql } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { until } from '../support/until.ts';

type Site = Settings & { MYSQL_URL: string };

/** The lines of the page's block. */
const LINES = blocksOf('docs/operations.md')
  .find(({ code }) => code.startsWith('RECENCY_MYSQL_URL=mysql://recency'))
  ?.code.split('\n') as string[];

/** Settings of a site with a name of its own in place of the page's `garden`. */
async function freshSite(): Promise<Site> {
  const { TOPIC: _, KAFKA_GROUP: __, KEY_PREFIX: ___, ...shared } = await serviceSettings();
  const name = freshPrefix();
  const own = LINES.map((line) =>
    line
      .replace(/^RECENCY_/, '')
      .replaceAll('garden', name)
      .split('='),
  );
  return { ...shared, ...Object.fromEntries(own), MYSQL_URL: String(shared.MYSQL_URL) };
}

const verify = async (site: Site) => (await runInProcess(['verify', '--json'], site)).json().at(-1);

it('two sites share MySQL, Redis and the transport, and neither changes what the other answers', async () => {
  const [garden, forest] = await Promise.all([freshSite(), freshSite()]);
  await indexedSite(garden, ['1', '2'], ['101', '102', '103']);
  await indexedSite(forest, ['1', '3'], ['101', '104']);
  for (const site of [garden, forest]) {
    await startProcess('relay', site);
    await startProcess('consume', site);
  }
  await sql(
    garden.MYSQL_URL,
    'UPDATE contacts SET active = FALSE, version = version + 1 WHERE user_id = 1 AND contact_id = 101',
    "INSERT INTO recency_outbox (type, user_id, other_id) VALUES ('recency.contact.removed', 1, 101)",
  );
  await until(async () => (await unpublished(garden.MYSQL_URL)) === 0);
  await until(async () => {
    const { stdout } = await runInProcess(['inspect', '1', '--json'], garden);
    return !stdout.includes('"101"');
  });
  expect(await verify(garden)).toMatchObject({ users: 2, warm: 2, wrong: 0, answers_wrong: 0 });
  expect(await verify(forest)).toMatchObject({ users: 2, warm: 2, wrong: 0, answers_wrong: 0 });
  expect((await runInProcess(['inspect', '1', '--json'], forest)).stdout).toContain('"101"');
});

it('a process with the name of another site does not start', async () => {
  const [garden, forest] = await Promise.all([freshSite(), freshSite()]);
  await indexedSite(garden, ['1'], ['101']);
  const consume = await startProcess('consume', garden);
  await consume.says('"consuming"');
  for (const name of ['KEY_PREFIX', 'TOPIC', 'KAFKA_GROUP'] as const) {
    const { code, stderr } = await runInProcess(['backfill'], { ...garden, [name]: forest[name] });
    expect(code).not.toBe(0);
    expect(stderr).toContain(`RECENCY_${name} is "${forest[name]}" here`);
  }
});
