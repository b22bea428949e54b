/**
 * Names of endpoints → addresses, by queries of the process itself (c-ares). `dns.lookup` would ask the C library, on the few
 * threads that everything else of the process needs as well, and without a way to end it: a few names that do not resolve
 * would stop every other look-up, also those of MySQL, Redis and Kafka when they reconnect.
 *
 * As the C library does, names are first looked for in /etc/hosts, and then with the search domains of /etc/resolv.conf.
 */

import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { withTimeout } from '../timing/deadline.ts';
import { Limiter } from '../timing/limiter.ts';

/** Asks a name server. */
export type Query = (
  name: string,
  family: 4 | 6,
) => Promise<readonly { readonly address: string; readonly ttl: number }[]>;

export interface HostNamesOptions {
  /** Default: the name servers of /etc/resolv.conf. */
  readonly query?: Query;
  /** Default: the text of /etc/hosts. */
  readonly hosts?: () => Promise<string>;
  /** Default: the text of /etc/resolv.conf. */
  readonly resolvConf?: () => Promise<string>;
  /** Names that are looked up at once (512), and as many again of those that failed last time. */
  readonly atOnce?: number;
  /** Time limit of a look-up, ms (3,000). */
  readonly timeoutMs?: number;
  /** The longest wait of a look-up for its turn, ms (5,000). */
  readonly waitMs?: number;
  /** Monotonic, ms. */
  readonly now?: () => number;
}

/** The name has no address, or its name servers did not say. */
class NameUnresolved extends Error {
  override readonly name = 'NameUnresolved';

  constructor(host: string, why: string, cause?: unknown) {
    super(`the name ${host} does not resolve: ${why}`, { cause });
  }
}

/** A name has not been looked up: that says nothing of it. */
class NoTurn extends Error {
  override readonly name = 'NoTurn';
}

/** So many that a thousand names whose servers are silent have had their turns within the longest wait. */
const AT_ONCE = 512;
const TIMEOUT_MS = 3_000;

/** Look-ups that wait. */
const WAITING = 10_000;

const WAIT_MS = 5_000;

/** Once a family has answered, the other one may take so long, ms (RFC 8305 has 50). */
const OTHER_FAMILY_MS = 250;

/** A name is asked for again after its time to live, within these bounds, ms. */
const SHORTEST_MS = 5_000;
const LONGEST_MS = 300_000;

/** For so long addresses are still used while the name servers do not answer, ms. */
const STALE_MS = 600_000;

/** Names that are remembered. */
const NAMES = 10_000;

interface CachedAddresses {
  readonly addresses: readonly LookupAddress[];
  readonly freshUntil: number;
}

/** Resolves names, each once at a time, few at once, and within a time limit. */
export class HostNames {
  readonly #options: HostNamesOptions;
  readonly #query: Query;
  readonly #known = new LRUCache<string, CachedAddresses>({ max: NAMES });
  /** Those that failed last time. */
  readonly #failed = new LRUCache<string, true>({ max: NAMES });
  readonly #running = new Map<string, Promise<readonly LookupAddress[]>>();
  /**
   * Names that failed last time have a line of their own, so that they keep no other one waiting. It is as wide, because after an outage of
   * the name servers every name is in it, beside those that are dead.
   */
  readonly #lines: Readonly<Record<'good' | 'failed', Limiter>>;

  constructor(options: HostNamesOptions = {}) {
    const { atOnce = AT_ONCE, waitMs = WAIT_MS, query = askNameServers() } = options;
    const refusal = () => new NoTurn('too many names wait to be resolved');
    const line = (concurrency: number) => new Limiter({ concurrency, queue: WAITING, waitMs, refusal });
    this.#options = options;
    this.#query = query;
    this.#lines = { good: line(atOnce), failed: line(atOnce) };
  }

  /** @returns at least one address @throws NameUnresolved */
  async addressesOf(host: string): Promise<readonly LookupAddress[]> {
    const { now = monotonic } = this.#options;
    const known = this.#known.get(host);
    if (known !== undefined && now() < known.freshUntil) return known.addresses;
    const running = this.#running.get(host) ?? this.#begin(host);
    const isUsable = known !== undefined && now() < known.freshUntil + STALE_MS;
    return isUsable ? await Promise.race([running, later(OTHER_FAMILY_MS).then(() => known.addresses)]) : await running;
  }

  #begin(host: string): Promise<readonly LookupAddress[]> {
    const line = this.#lines[this.#failed.has(host) ? 'failed' : 'good'];
    const running = line
      .run(() => this.#resolve(host))
      .catch((error: unknown) => this.#failedTo(host, error))
      .finally(() => this.#running.delete(host));
    running.catch(() => undefined); // callers that wait get the error; there may be none
    this.#running.set(host, running);
    return running;
  }

  /** A name that is known to have no address is forgotten; while nobody says so, its last addresses are used. */
  #failedTo(host: string, error: unknown): readonly LookupAddress[] {
    const { now = monotonic } = this.#options;
    if (!(error instanceof NoTurn)) this.#failed.set(host, true);
    const known = this.#known.get(host);
    if (known !== undefined && !isNoSuchName(error) && now() < known.freshUntil + STALE_MS) return known.addresses;
    this.#known.delete(host);
    throw error instanceof NameUnresolved ? error : new NameUnresolved(host, textOf(error), error);
  }

  async #resolve(host: string): Promise<readonly LookupAddress[]> {
    const { hosts = etc('hosts'), timeoutMs = TIMEOUT_MS, now = monotonic } = this.#options;
    const local = inHosts(await hosts(), host);
    if (local.length > 0) return local;
    const asked = this.#ask(host);
    const { addresses, ttlMs } = await withTimeout(asked, timeoutMs, () => new Error('no answer in time'));
    const freshMs = Math.min(Math.max(ttlMs, SHORTEST_MS), LONGEST_MS);
    this.#known.set(host, { addresses, freshUntil: now() + freshMs });
    this.#failed.delete(host);
    return addresses;
  }

  /** Asks for the name as it is and with each search domain, in the order of resolv.conf(5). */
  async #ask(host: string) {
    const { resolvConf = etc('resolv.conf') } = this.#options;
    const names = namesFor(host, await resolvConf());
    for (const [place, name] of names.entries()) {
      try {
        return await this.#askBoth(name);
      } catch (error) {
        if (place === names.length - 1 || !isNoSuchName(error)) throw error;
      }
    }
    throw new Error('no name to ask for');
  }

  /** Addresses of both families; of one, if the other has none or is much slower. */
  async #askBoth(name: string): Promise<{ readonly addresses: LookupAddress[]; readonly ttlMs: number }> {
    const ask = async (family: 4 | 6) =>
      (await this.#query(name, family)).map(({ address, ttl }) => ({ address, family, ttl }));
    const families = [ask(4), ask(6)];
    const first = await Promise.any(families).catch((error: AggregateError) => {
      throw error.errors.find((one) => !isNoSuchName(one)) ?? error.errors[0];
    });
    const both = Promise.allSettled(families).then((all) =>
      all.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])),
    );
    const found = await Promise.race([both, later(OTHER_FAMILY_MS).then(() => first)]);
    if (found.length === 0) throw noAddress();
    const ttlMs = Math.min(...found.map(({ ttl }) => ttl)) * 1000;
    return { addresses: found.map(({ address, family }) => ({ address, family })), ttlMs };
  }
}

/** `lookup` of a socket or an agent. */
export function lookupOf(names: Pick<HostNames, 'addressesOf'>) {
  return (host: string, _options: object, callback: (error: Error | null, found: readonly LookupAddress[]) => void) => {
    names.addressesOf(host).then(
      (found) => callback(null, found),
      (error: Error) => callback(error, []),
    );
  };
}

/** The addresses that hosts(5) gives to a name; RFC 6761 gives them to `localhost`. */
export function inHosts(text: string, host: string): LookupAddress[] {
  const name = host.toLowerCase().replace(/\.$/, '');
  const found = text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const isIt = isIP(address) !== 0 && names.some((one) => one.toLowerCase() === name);
    return isIt ? [{ address, family: isIP(address) }] : [];
  });
  const isLocal = name === 'localhost' || name.endsWith('.localhost');
  return found.length > 0 || !isLocal
    ? found
    : [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ];
}

/** What is asked for: a name with enough dots as it is first, another one with the search domains first. */
export function namesFor(host: string, resolvConf: string): string[] {
  if (host.endsWith('.')) return [host.slice(0, -1)];
  const lines = resolvConf.split('\n').map((line) => line.trim().split(/\s+/));
  const search = lines.findLast(([word]) => word === 'search' || word === 'domain')?.slice(1) ?? [];
  const options = lines.filter(([word]) => word === 'options').flat();
  const dots = Number(options.findLast((option) => option.startsWith('ndots:'))?.slice('ndots:'.length) ?? 1);
  const searched = search.map((domain) => `${host}.${domain.replace(/\.$/, '')}`);
  return host.split('.').length - 1 >= dots ? [host, ...searched] : [...searched, host];
}

function askNameServers(): Query {
  const resolver = new Resolver({ timeout: 1_000, tries: 2 });
  return (name, family) => resolver[family === 4 ? 'resolve4' : 'resolve6'](name, { ttl: true });
}

const etc = (file: string) => () => readFile(`/etc/${file}`, 'utf8').catch(() => '');

const NO_SUCH_NAME: readonly unknown[] = ['ENOTFOUND', 'ENODATA', 'EBADNAME'];

function isNoSuchName(error: unknown): boolean {
  return error instanceof Error && 'code' in error && NO_SUCH_NAME.includes(error.code);
}

const noAddress = () => Object.assign(new Error('it has no address'), { code: 'ENODATA' });

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());

const monotonic = () => performance.now();
