import { readFileSync } from 'node:fs';
import process from 'node:process';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { forcedOrigin } from '../../src/tools/devservers/given.ts';
import { type RunningServer, startMysql } from '../../src/tools/devservers/start-server.ts';
import type { CertificateFiles, TestCa } from './certificates.ts';

/** A MySQL or MariaDB with a certificate and accounts of the test's own. Root still connects in plain text. */
export class SecureMysql implements AsyncDisposable {
  readonly #server: RunningServer;
  readonly #ca: TestCa;
  readonly #own: CertificateFiles;
  readonly root: Connection;

  private constructor(server: RunningServer, root: Connection, ca: TestCa, own: CertificateFiles) {
    this.#server = server;
    this.root = root;
    this.#ca = ca;
    this.#own = own;
  }

  /** Starts it with a certificate for its address and no other name. @param more arguments of the server's program */
  static async start(ca: TestCa, more: readonly string[] = []): Promise<SecureMysql> {
    // A container has an address of its own and does not see this machine's files, so they are written through SQL.
    if (forcedOrigin(process.env) === 'containers') {
      const server = await startMysql({ args: more });
      const own = await ca.issue('mysql', { name: 'mysql', hosts: [new URL(server.url).hostname] });
      const mysql = new SecureMysql(server, await createConnection(server.url), ca, own);
      await mysql.present(own);
      return mysql;
    }
    const own = await ca.issue('mysql', { name: 'mysql', hosts: ['127.0.0.1'] });
    const args = ['--ssl-ca', '--ssl-cert', '--ssl-key'].map(
      (option, i) => `${option}=${[ca.file, own.cert, own.key][i]}`,
    );
    const server = await startMysql({ from: 'programs', args: [...args, ...more] });
    return new SecureMysql(server, await createConnection(server.url), ca, own);
  }

  get host(): string {
    return new URL(this.#server.url).hostname;
  }

  get product(): string {
    return this.#server.facts.product;
  }

  /** URL for an account. @param host differs from the certificate's in some tests */
  url(user: string, password = '', host = this.host): string {
    return `mysql://${user}:${password}@${host}:${this.#server.port}/recency`;
  }

  async execute(...statements: readonly string[]): Promise<void> {
    for (const statement of statements) await this.root.query(statement);
  }

  /** Presents this certificate to new connections. */
  async present(certificate: CertificateFiles): Promise<void> {
    if (this.product === 'MariaDB') {
      const { copyFileSync } = await import('node:fs');
      copyFileSync(certificate.cert, this.#own.cert);
      copyFileSync(certificate.key, this.#own.key);
      await this.execute('FLUSH SSL');
      return;
    }
    const [rows] = await this.root.query<RowDataPacket[]>('SELECT @@global.secure_file_priv AS folder');
    const folder = String(rows[0]?.folder || '/tmp/');
    for (const [name, file] of Object.entries({ ca: this.#ca.file, cert: certificate.cert, key: certificate.key })) {
      const path = `${folder}${name}-${Date.now()}.pem`;
      await this.root.query(`SELECT ? INTO DUMPFILE '${path}'`, [readFileSync(file, 'utf8')]);
      await this.execute(`SET GLOBAL ssl_${name} = '${path}'`);
    }
    await this.execute('ALTER INSTANCE RELOAD TLS');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.root.destroy();
    await this.#server.remove();
  }
}
