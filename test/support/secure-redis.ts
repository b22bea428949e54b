import { Redis } from 'ioredis';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';
import { type RunningServer, startRedis } from '../../src/tools/devservers/start-server.ts';
import type { TestCa } from './certificates.ts';

/** A Redis with accounts of the test's own and a second port for TLS, which requires a client certificate. A program: a container does not see this machine's files. */
export class SecureRedis implements AsyncDisposable {
  readonly server: RunningServer;
  /** Plain text; everything is allowed. */
  readonly admin: Redis;
  readonly tlsPort: number;

  private constructor(server: RunningServer, tlsPort: number) {
    this.server = server;
    this.tlsPort = tlsPort;
    this.admin = new Redis(server.url);
    this.admin.on('error', () => undefined);
  }

  /** @param ca issues its certificate for 127.0.0.1 */
  static async start(ca: TestCa, args: readonly string[] = []): Promise<SecureRedis> {
    const port = await freePort();
    const own = await ca.issue(`redis-${port}`, { name: 'redis', hosts: ['127.0.0.1'] });
    const files = ['--tls-ca-cert-file', ca.file, '--tls-cert-file', own.cert, '--tls-key-file', own.key];
    const server = await startRedis({ from: 'programs', args: ['--tls-port', `${port}`, ...files, ...args] });
    return new SecureRedis(server, port);
  }

  /** @param login user:password @param host the certificate is for 127.0.0.1 */
  url(login: string, host = '127.0.0.1'): string {
    return `rediss://${login}@${host}:${this.tlsPort}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.admin.disconnect();
    await this.server.remove();
  }
}
