import { writeFileSync } from 'node:fs';
import { Kafka } from 'kafkajs';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';
import { findClassArchive } from '../../src/tools/devservers/launch/kafka-classes.ts';
import { jarsFolder } from '../../src/tools/devservers/launch/kafka-runtime.ts';
import { javaArguments } from '../../src/tools/devservers/launch/kafka-site.ts';
import { runProgram } from '../../src/tools/devservers/launch/machine.ts';
import { type RunningServer, startKafka } from '../../src/tools/devservers/start-server.ts';
import type { TestCa } from './certificates.ts';

const override = (properties: Readonly<Record<string, string>>): string[] =>
  Object.entries(properties).flatMap(([name, value]) => ['--override', `${name}=${value}`]);

const JAAS = 'org.apache.kafka.common.security';

/** Password of all accounts; OAUTHBEARER accounts have unsigned tokens, which Kafka accepts for tests. */
export const PASSWORD = 'between-us';

/** How long the broker lets a sign-in with SCRAM-SHA-256 last. */
export const SHORT_SESSION_MS = 3_000;

/**
 * A broker of the test's own. Its ports require TLS and a password or token (SASL_SSL: PLAIN, SCRAM, OAUTHBEARER), or a client certificate
 * (SSL). Clients may do only what an ACL allows them; clients on the plain-text port may do everything.
 */
export class SecureKafka implements AsyncDisposable {
  readonly #server: RunningServer;
  readonly #ca: TestCa;
  /** host:port that requires a password or a token. */
  readonly sasl: string;
  /** host:port that requires a client certificate. */
  readonly mtls: string;

  private constructor(server: RunningServer, ca: TestCa, ports: readonly number[]) {
    this.#server = server;
    this.#ca = ca;
    [this.sasl, this.mtls] = ports.map((port) => `127.0.0.1:${port}`) as [string, string];
  }

  /** @param users of PLAIN @param scram a user of SCRAM */
  static async start(ca: TestCa, users: readonly string[], scram?: string): Promise<SecureKafka> {
    const ports = (await Promise.all([freePort(), freePort(), freePort(), freePort()])) as [
      number,
      number,
      number,
      number,
    ];
    const [plain, sasl, mtls, controller] = ports;
    const { both } = await ca.issue('kafka', { name: 'kafka', hosts: ['127.0.0.1'] });
    const listeners = `PLAINTEXT://127.0.0.1:${plain},SASL_SSL://127.0.0.1:${sasl},SSL://127.0.0.1:${mtls}`;
    const accounts = users.map((user) => `user_${user}="${PASSWORD}"`).join(' ');
    const jaas = (module: string, options = '') => `${JAAS}.${module} required ${options};`;
    const args = override({
      listeners: `${listeners},CONTROLLER://127.0.0.1:${controller}`,
      'controller.quorum.voters': `1@127.0.0.1:${controller}`,
      'advertised.listeners': listeners,
      'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL,SSL:SSL',
      'ssl.keystore.type': 'PEM',
      'ssl.keystore.location': both,
      'ssl.truststore.type': 'PEM',
      'ssl.truststore.location': ca.file,
      'listener.name.ssl.ssl.client.auth': 'required',
      'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER',
      'listener.name.sasl_ssl.plain.sasl.jaas.config': jaas('plain.PlainLoginModule', accounts),
      'listener.name.sasl_ssl.scram-sha-256.sasl.jaas.config': jaas('scram.ScramLoginModule'),
      'listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config': jaas('scram.ScramLoginModule'),
      'listener.name.sasl_ssl.oauthbearer.sasl.jaas.config': jaas(
        'oauthbearer.OAuthBearerLoginModule',
        'unsecuredLoginStringClaim_sub="broker"',
      ),
      'listener.name.sasl_ssl.oauthbearer.connections.max.reauth.ms': '3600000',
      'listener.name.sasl_ssl.scram-sha-256.connections.max.reauth.ms': String(SHORT_SESSION_MS),
      'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
      'super.users': 'User:ANONYMOUS',
    });
    const server = await startKafka({ from: 'programs', port: plain, args });
    const kafka = new SecureKafka(server, ca, [sasl, mtls]);
    if (scram !== undefined) await kafka.#addScram(scram);
    return kafka;
  }

  /** Plain text; everything is allowed. */
  get admin(): Kafka {
    return new Kafka({ brokers: [this.#server.url], logLevel: 0 });
  }

  /** Settings common to all TLS logins. */
  get settings() {
    return { KAFKA_BROKERS: this.sasl, KAFKA_TLS: 'on', KAFKA_TLS_CA: this.#ca.file } as const;
  }

  /** By command line: kafkajs has no call for it. */
  async #addScram(user: string): Promise<void> {
    const jars = jarsFolder();
    const java = this.#server.facts.source;
    const tool = [...javaArguments(jars, findClassArchive({ java, jars })), 'kafka.admin.ConfigCommand'];
    const alter = ['--bootstrap-server', this.#server.url, '--alter', '--entity-type', 'users', '--entity-name', user];
    const add = (bits: number) => ['--add-config', `SCRAM-SHA-${bits}=[iterations=4096,password=${PASSWORD}]`];
    await Promise.all([256, 512].map((bits) => runProgram(java, [...tool, ...alter, ...add(bits)])));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.remove();
  }
}

/** An unsigned token for a user. @param lastsMs from now */
export function unsignedToken(user: string, lastsMs: number): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const now = Date.now() / 1000;
  return `${part({ alg: 'none' })}.${part({ sub: user, iat: now, exp: now + lastsMs / 1000 })}.`;
}

export function writeToken(file: string, user: string, lastsMs: number): string {
  writeFileSync(file, unsignedToken(user, lastsMs));
  return file;
}
