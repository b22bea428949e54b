import { until } from './poll.ts';

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

const TIMEOUT_MS = 30_000;

/** Pause before a request that a busy server has refused is made again, ms. */
const AGAIN_MS = 250;

/** A client of one server. Connections are kept for the next request. */
export class HttpClient {
  readonly #origin: string;

  /** @param origin http://host:port */
  constructor(origin: string) {
    this.#origin = origin;
  }

  /** @throws Error when the server is not there or does not answer */
  async get(path: string): Promise<HttpAnswer> {
    return await this.#ask(path, {});
  }

  /** @param body JSON @throws Error as `get` */
  async post(path: string, body: string): Promise<HttpAnswer> {
    return await this.#ask(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  }

  async #ask(path: string, init: RequestInit): Promise<HttpAnswer> {
    const response = await fetch(this.#origin + path, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
    return { status: response.status, body: await response.text() };
  }
}

/**
 * The body of the answer. What a busy server refuses (503) is asked again for a while.
 * @param what is asked for, as the beginning of a sentence
 * @throws TookTooLong, Error when the status is another one
 */
export async function bodyOf(
  what: string,
  ask: () => Promise<HttpAnswer>,
  wanted: number,
  signal: AbortSignal,
): Promise<string> {
  const options = { everyMs: AGAIN_MS, timeoutMs: TIMEOUT_MS, signal };
  const { status, body } = await until(`${what} was refused`, ask, (answer) => answer.status !== 503, options);
  if (status !== wanted) throw new Error(`${what} was answered with ${status}: ${body.slice(0, 500)}`);
  return body;
}

/** The resident memory of a process, bytes, from its metrics. @throws Error when they lack it */
export async function residentBytes(metricsPort: number): Promise<number> {
  return await metric(metricsPort, 'process_resident_memory_bytes');
}

/** The value of a metric without labels of its own. @throws Error when the metrics lack it, or nobody listens */
export async function metric(metricsPort: number, name: string): Promise<number> {
  const { body } = await new HttpClient(`http://127.0.0.1:${metricsPort}`).get('/metrics');
  const line = body.split('\n').find((one) => one.startsWith(`${name} `) || one.startsWith(`${name}{`));
  const value = Number(line?.split(' ').at(-1));
  if (!Number.isFinite(value)) throw new Error(`the metrics of port ${metricsPort} lack ${name}`);
  return value;
}
