export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

const TIMEOUT_MS = 30_000;

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
