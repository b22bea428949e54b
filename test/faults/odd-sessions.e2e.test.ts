import type { PoolConnection } from 'mysql2/promise';
import { beforeAll, describe, expect, it } from 'vitest';
import { migrate, status } from '../../src/mysql/migrate.ts';
import { findSessionProblems } from '../../src/mysql/session.ts';
import { CliProcess, startProcess } from '../support/cli.ts';
import { ContactsDatabase } from '../support/contacts-database.ts';
import { runInProcess } from '../support/in-process.ts';
import { loggedMysql } from '../support/logged-mysql.ts';
import { makeOdd, unknownVariables } from '../support/odd-variables.ts';
import { mappingFile } from '../support/reference-mapping.ts';
import { closeAtEnd, freshName } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../support/small-site.ts';
import { until } from '../support/until.ts';

const [USER, CONTACTS] = ['1', ['101', '102', '103', '104', '105']] as const;

const own = loggedMysql();

/** The site's own session, which began before. */
let site: PoolConnection;
let siteUrl: string;
let unknown: string[];

beforeAll(async () => {
  await own.run("CREATE USER app@'%' IDENTIFIED BY 'secret'", "GRANT ALL ON `t%`.* TO app@'%'");
  await own.run("GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO app@'%'");
  siteUrl = accountUrl();
  await migrate({ url: siteUrl });
  const pool = freshSitePool(siteUrl);
  await writeSite(pool, everybodyKnows([USER], [...CONTACTS]));
  site = await pool.getConnection();
  unknown = await unknownVariables(own);
  await makeOdd(own);
  return () => site.release();
});

/** The URL of a database that does not exist yet, for an account that may do what Recency needs, and no more. */
function accountUrl(): string {
  const url = new URL(own.server.url);
  [url.username, url.password, url.pathname] = ['app', 'secret', `/${freshName()}`];
  return url.href;
}

async function upload(owner: string, { outbox }: { outbox: boolean }): Promise<void> {
  const now = Date.now();
  await site.query("INSERT INTO photos (owner_id, audience, uploaded_at, title) VALUES (?, 0, ?, '')", [owner, now]);
  await site.query('UPDATE users SET last_public_at = ? WHERE id = ?', [now, owner]);
  if (!outbox) return;
  await site.query("INSERT INTO recency_outbox (type, user_id) VALUES ('recency.photo.uploaded', ?)", [owner]);
}

async function recent({ stdout }: CliProcess, query: string) {
  const address = /"address":"(http:[^"]+)"/.exec(stdout)?.[1];
  const reply = await fetch(`${address}/v1/users/${USER}/contacts/recent?${query}`);
  return (await reply.json()) as { contacts: { id: string }[]; answer: { exact: boolean; source: string } };
}

describe('a server with an odd value of every session variable', () => {
  it('has none that Recency does not know', () => {
    expect(unknown).toEqual([]);
  });

  it('is migrated, and each session is as Recency needs it', async () => {
    const url = accountUrl();
    const { views } = await migrate({ url });
    expect(views.map(({ origin }) => origin)).not.toContain('site');
    expect((await status({ url })).pending).toEqual([]);
    const database = new ContactsDatabase(url, { connections: 1, queue: 10, deadlineMs: 60_000 });
    closeAtEnd(() => database.close());
    expect(await findSessionProblems(database)).toEqual([]);
    expect(await database.rows('SELECT NOW() > FROM_UNIXTIME(1700000000)', [])).toEqual([[1]]);
    await database.rows("SET SESSION sql_mode = 'ANSI_QUOTES'", []);
    expect(await findSessionProblems(database)).toEqual(['sql_mode = ANSI_QUOTES']);
  });

  it('has no wrong answer: what is uploaded arrives, by the outbox and by the binary log, and doctor finds nothing', async () => {
    const settings = { ...(await serviceSettings()), MYSQL_URL: siteUrl };
    const { code, stderr } = await runInProcess(['backfill'], settings);
    expect(code, stderr).toBe(0);
    const serve = await startProcess('serve', settings);
    await startProcess('consume', settings);
    const arrives = async (uploader: string, { outbox }: { outbox: boolean }) => {
      await upload(uploader, { outbox });
      expect((await recent(serve, 'consistency=strong')).contacts[0]).toMatchObject({ id: uploader });
      await until(async () => {
        const { answer, contacts } = await recent(serve, 'limit=3');
        return answer.exact && answer.source === 'index' && contacts[0]?.id === uploader;
      });
    };
    const relay = await startProcess('relay', settings);
    for (const uploader of ['102', '104', '103']) await arrives(uploader, { outbox: true });
    relay.signal('SIGTERM');
    await relay.ended;
    const capture = new CliProcess(['capture'], { ...settings, CAPTURE_MAPPING: mappingFile() }).killAtEnd();
    await capture.says('nothing was captured before; a new epoch begins');
    for (const uploader of ['105', '101']) await arrives(uploader, { outbox: false });
    const verified = await runInProcess(['verify', '--json'], settings);
    expect(verified.json().at(-1)).toMatchObject({ warm: 1, wrong: 0, answers_wrong: 0 });
    const [report] = (await runInProcess(['doctor', '--json'], settings)).json();
    expect(report.findings.filter((finding: { state: string }) => finding.state === 'problem')).toEqual([]);
  });
});
