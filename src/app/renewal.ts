/** Secrets and certificates that are replaced while a process runs. */
import { unwatchFile, watchFile } from 'node:fs';
import process from 'node:process';
import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import type { Reported } from '../api/readiness.ts';
import { type Config, loadConfig } from '../config/config.ts';
import { ConfigError, filesOf } from '../config/environment.ts';

/** How often the files are looked at, ms. */
const LOOK_MS = 1_000;

/** In a terminal SIGHUP says that it was closed, which ends a process. Otherwise it asks for the settings to be read again. */
export function isHangupHeard(): boolean {
  return !process.stdout.isTTY;
}

/**
 * Reads the settings again on SIGHUP, and when a file with a secret or a certificate has changed. Settings that are wrong then
 * are not used: those in force stay, and the log, the metrics and the readiness report say so. API tokens and certificates take
 * effect at once; whatever else has changed, at the next start.
 */
export class Renewal {
  readonly #first: Config;
  readonly #logger: Logger;
  readonly #listeners: ((config: Config) => void)[] = [];
  /** What is wrong, for everybody to read; undefined: nothing. */
  #refused: string | undefined;

  /** @param config the settings that the process has started with */
  constructor(config: Config, logger: Logger) {
    this.#first = config;
    this.#logger = logger;
  }

  /** @param use is called with the settings that were read again, if they are right */
  onRenewed(use: (config: Config) => void): void {
    this.#listeners.push(use);
  }

  /** Begins to listen. @returns stops it */
  start(): () => void {
    const files = filesOf();
    const again = () => this.again();
    for (const file of files) watchFile(file, { interval: LOOK_MS, persistent: false }, again);
    // A file that was replaced after the settings were read, but before watchFile looked at it first, would go unnoticed.
    const first = files.length > 0 ? setTimeout(() => this.#isOutdated() && this.again(), LOOK_MS).unref() : undefined;
    const isHeard = isHangupHeard();
    if (isHeard) process.on('SIGHUP', again);
    return () => {
      clearTimeout(first);
      for (const file of files) unwatchFile(file, again);
      if (isHeard) process.off('SIGHUP', again);
    };
  }

  /** Reads the settings again. */
  again(): void {
    try {
      const config = loadConfig();
      for (const use of this.#listeners) use(config);
      this.#refused = undefined;
      this.#logger.info('secrets and certificates were read again');
      this.#nameLater(config);
    } catch (err) {
      const wrong = err instanceof ConfigError ? err.problems.map(({ name }) => name) : ['something'];
      this.#refused = `${wrong.join(', ')} cannot be used: the log says why`;
      this.#logger.error({ err }, 'the new secrets or certificates cannot be used: the old ones stay in force');
    }
  }

  #isOutdated(): boolean {
    try {
      const config = loadConfig();
      return (Object.keys(config) as (keyof Config)[]).some((name) => isNow(name) && this.#differs(config, name));
    } catch {
      return true; // reading them again says why
    }
  }

  #differs(config: Config, name: keyof Config): boolean {
    return JSON.stringify(config[name]) !== JSON.stringify(this.#first[name]);
  }

  /** For /readyz?verbose. */
  async report(): Promise<Reported> {
    if (this.#refused === undefined) return { state: 'fine', detail: 'those in force are those in the files' };
    return { state: 'problem', detail: `older ones are in force, because ${this.#refused}` };
  }

  /** Are the settings as they are now wrong, so that older ones are in force? */
  get isRefused(): boolean {
    return this.#refused !== undefined;
  }

  #nameLater(config: Config): void {
    const names = Object.keys(config) as (keyof Config)[];
    const changed = names.filter((name) => !isNow(name) && this.#differs(config, name));
    if (changed.length > 0) this.#logger.warn({ settings: changed }, 'what else has changed takes effect at a restart');
  }
}

/** Does it take effect at once? */
const isNow = (name: keyof Config) => name === 'tokens' || /Tls(?:Ca|Cert|Key)$/.test(name);

/** Whether secrets and certificates could be read again. */
export function measureRenewal(registry: Registry, renewal: Pick<Renewal, 'isRefused'>): void {
  new Gauge({
    name: 'recency_secrets_refused',
    help: '1: secrets or certificates were replaced by some that cannot be used, so older ones are in force. Otherwise 0.',
    registers: [registry],
    collect() {
      this.set(Number(renewal.isRefused));
    },
  });
}
