import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RowDataPacket } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { mysqlTls, openPrimary, openReplica, untilMysqlAnswers } from '../../src/app/open-mysql.ts';
import { loadConfig } from '../../src/config/config.ts';
import { mysqlFaultOf } from '../../src/mysql/faults.ts';
import { migrate, status } from '../../src/mysql/migrate.ts';
import { type CertificateFiles, TestCa } from '../support/certificates.ts';
import { SecureMysql } from '../support/secure-mysql.ts';
import { until } from '../support/until.ts';

const signal = new AbortController().signal;

/** Lifetime of a short-lived certificate, ms. */
const SHORT_MS = 3_000;

describe('MySQL over TLS', () => {
  let ca: TestCa;
  let mysql: SecureMysql;
  let client: CertificateFiles;
  let right: CertificateFiles;

  beforeAll(async () => {
    ca = await TestCa.create();
    mysql = await SecureMysql.start(ca);
    client = await ca.issue('client', { name: 'recency' });
    right = await ca.issue('right', { name: 'mysql', hosts: [mysql.host] });
    await mysql.execute(
      "CREATE USER certified@'%' REQUIRE X509",
      "CREATE USER encrypted@'%' IDENTIFIED BY 'it-s' REQUIRE SSL",
      "CREATE USER open@'%'",
      'GRANT ALL ON *.* TO certified, encrypted, open',
    );
  });
  afterAll(async () => {
    await mysql?.[Symbol.asyncDispose]();
    ca?.remove();
  });

  const settings = (more: Record<string, string> = {}) => ({
    RECENCY_MYSQL_URL: mysql.url('certified'),
    RECENCY_MYSQL_TLS: 'on',
    RECENCY_MYSQL_TLS_CA: ca.file,
    RECENCY_MYSQL_TLS_CERT: client.cert,
    RECENCY_MYSQL_TLS_KEY: client.key,
    ...more,
  });

  /** The cipher of a connection that these settings make. */
  async function cipher(environment: Record<string, string>): Promise<unknown> {
    const config = loadConfig(environment);
    const { mysqlUrl: url, startTimeoutMs: timeoutMs } = config;
    const database = openPrimary(config);
    onTestFinished(() => database.close());
    await untilMysqlAnswers(database, { url, setting: 'RECENCY_MYSQL_URL', timeoutMs, signal });
    return (await database.rows("SHOW SESSION STATUS LIKE 'Ssl_cipher'", []))[0]?.[1];
  }

  /** MySQL accepts none that has already expired: then it gets another one. */
  async function presentShortLived(file: string): Promise<void> {
    await until(async () => {
      await mysql.present(await ca.issue(file, { name: 'mysql', hosts: [mysql.host], lastsMs: SHORT_MS }));
      return true;
    });
  }

  async function refusal(environment: Record<string, string>): Promise<string> {
    const begun = performance.now();
    const error = await cipher({ RECENCY_START_TIMEOUT_MS: '120000', ...environment }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ name: 'StartError' });
    expect(performance.now() - begun).toBeLessThan(60_000); // and not when START_TIMEOUT_MS is over
    return (error as Error).message;
  }

  it('with a client certificate: an account that requires X509 works, also to migrate and to read a replica', async () => {
    expect(await cipher(settings())).toMatch(/^TLS_/);
    const config = loadConfig(settings({ RECENCY_MYSQL_REPLICA_URL: mysql.url('certified') }));
    const primary = openPrimary(config);
    onTestFinished(() => primary.close());
    const replica = openReplica(config, mysql.url('certified'), primary);
    onTestFinished(() => replica.close());
    expect((await replica.rows("SHOW SESSION STATUS LIKE 'Ssl_cipher'", []))[0]?.[1]).toMatch(/^TLS_/);
    const server = { url: config.mysqlUrl, tls: mysqlTls(config) };
    expect((await migrate(server)).applied).not.toEqual([]);
    expect((await status(server)).pending).toEqual([]);
  });

  it('connects with a certificate that was replaced meanwhile, but not with half of one', async () => {
    const own = await ca.issue('renewed', { name: 'recency' });
    const other = await TestCa.create('Another CA');
    onTestFinished(() => other.remove());
    const strange = await other.issue('strange', { name: 'recency' });
    const database = openPrimary(
      loadConfig(settings({ RECENCY_MYSQL_TLS_CERT: own.cert, RECENCY_MYSQL_TLS_KEY: own.key })),
    );
    onTestFinished(() => database.close());
    /** On a new connection. */
    const answers = async () => {
      const [rows] = await mysql.root.query<RowDataPacket[]>(
        "SELECT id FROM information_schema.processlist WHERE user = 'certified'",
      );
      for (const { id, ID } of rows) await mysql.root.query(`KILL ${id ?? ID}`).catch(() => undefined);
      return await database.rows('SELECT CONNECTION_ID()', []).then(String, (error: unknown) => String(error));
    };
    await until(async () => /^\d+$/.test(await answers()));
    copyFileSync(strange.cert, own.cert); // whose key is still the other one
    await until(async () => /^\d+$/.test(await answers()));
    copyFileSync(strange.key, own.key);
    await until(async () => /unknown ca|refuses|Access denied|bad certificate/i.test(await answers()));
    await ca.issue('renewed', { name: 'recency' });
    await until(async () => /^\d+$/.test(await answers()));
  });

  it('with a password: encrypted without a client certificate', async () => {
    const { RECENCY_MYSQL_TLS_CERT: _, RECENCY_MYSQL_TLS_KEY: __, ...others } = settings();
    expect(await cipher({ ...others, RECENCY_MYSQL_URL: mysql.url('encrypted', 'it-s') })).toMatch(/^TLS_/);
    expect(await refusal({ ...others })).toMatch(/refuses user "certified".*RECENCY_MYSQL_TLS/);
  });

  it('without TLS: the error names the setting', async () => {
    const plain = { RECENCY_MYSQL_URL: mysql.url('encrypted', 'it-s') };
    expect(await refusal(plain)).toMatch(/RECENCY_MYSQL_TLS/);
    await mysql.execute('SET GLOBAL require_secure_transport = ON');
    expect(await refusal({ RECENCY_MYSQL_URL: mysql.url('open') })).toMatch(
      // MariaDB only says that access is denied.
      mysql.product === 'MariaDB' ? /requires TLS.*RECENCY_MYSQL_TLS/ : /without TLS\. Set RECENCY_MYSQL_TLS to on/,
    );
    await mysql.execute('SET GLOBAL require_secure_transport = OFF');
  });

  it('verified by default: each reason is named, and so is the setting', async () => {
    const { RECENCY_MYSQL_TLS_CA: _, ...noCa } = settings();
    expect(await refusal(noCa)).toMatch(
      /^The certificate of MySQL at [\d.]+:\d+ is refused: it is signed by a CA that is not known here.*RECENCY_MYSQL_TLS_CA/,
    );
    const elsewhere = mysql.url('certified', '', 'localhost');
    expect(await refusal(settings({ RECENCY_MYSQL_URL: elsewhere }))).toMatch(
      /it is for another host name \(Host: localhost\. is not/,
    );
    await presentShortLived('expired');
    await until(async () => /is refused: it has expired.*RECENCY_MYSQL_TLS_CA/.test(await refusal(settings())));
    await mysql.present(await ca.issue('other-address', { name: 'mysql', hosts: ['127.0.0.2', 'localhost'] }));
    expect(await refusal(settings())).toMatch(/it is for another host name \(IP: [\d.]+ is not in/);
    await expect(migrate({ url: mysql.url('certified'), tls: mysqlTls(loadConfig(settings())) })).rejects.toMatchObject(
      {
        code: 'unreachable',
        message: expect.stringMatching(/it is for another host name.*RECENCY_MYSQL_TLS_CA/),
      },
    );
    // The settings ask for encryption only.
    expect(await cipher({ ...noCa, RECENCY_MYSQL_TLS: 'unverified' })).toMatch(/^TLS_/);
    await mysql.present(right);
  });

  it('with a client certificate from a CA that the server does not know: the error names the setting', async () => {
    const other = await TestCa.create('Another CA');
    onTestFinished(() => other.remove());
    const stranger = await other.issue('stranger', { name: 'recency' });
    const certificate = { RECENCY_MYSQL_TLS_CERT: stranger.cert, RECENCY_MYSQL_TLS_KEY: stranger.key };
    expect(await refusal(settings(certificate))).toMatch(/RECENCY_MYSQL_TLS(_CERT|.*_CERT)/);
  });

  it('a certificate that expires while a process runs is a setup fault, and fails no task', async () => {
    const config = loadConfig(settings());
    await presentShortLived('ended');
    const faultOfNew = async () => {
      const database = openPrimary(config);
      const error = await database.rows('SELECT 1', []).catch((thrown: unknown) => thrown);
      await database.close();
      return mysqlFaultOf(error);
    };
    await until(async () => (await faultOfNew()) === 'setup');
    const database = openPrimary(config);
    onTestFinished(() => database.close());
    await mysql.present(right);
    expect(await database.rows('SELECT 1', [])).toEqual([[1]]);
  });

  it('with an unusable file: the error names the setting', () => {
    const refused = (more: Record<string, string>) => {
      expect(() => loadConfig(settings(more))).toThrow();
      try {
        loadConfig(settings(more));
      } catch (error) {
        return (error as Error).message;
      }
      return '';
    };
    const missing = join(ca.folder, 'none.pem');
    for (const name of ['RECENCY_MYSQL_TLS_CA', 'RECENCY_MYSQL_TLS_CERT', 'RECENCY_MYSQL_TLS_KEY']) {
      expect(refused({ [name]: missing })).toBe(`${name} names a file that cannot be read (ENOENT): ${missing}`);
    }
    expect(refused({ RECENCY_MYSQL_TLS_CA: client.key })).toMatch(/^RECENCY_MYSQL_TLS_CA .*holds no certificate/);
    expect(refused({ RECENCY_MYSQL_TLS_KEY: client.cert })).toMatch(
      /^RECENCY_MYSQL_TLS_KEY .*does not hold a private key/,
    );
    const other = join(ca.folder, 'copied.key');
    copyFileSync(right.key, other);
    expect(refused({ RECENCY_MYSQL_TLS_KEY: other })).toMatch(
      /^RECENCY_MYSQL_TLS_KEY is not the key of the certificate/,
    );
    expect(refused({ RECENCY_MYSQL_TLS: 'off' })).toMatch(
      /^RECENCY_MYSQL_TLS_CA has no effect while RECENCY_MYSQL_TLS is off/,
    );
    expect(refused({ RECENCY_MYSQL_URL: `${mysql.url('a')}?ssl-mode=REQUIRED` })).toMatch(/set RECENCY_MYSQL_TLS/);
  });
});
