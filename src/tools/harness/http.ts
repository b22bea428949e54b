import { Agent, request } from 'node:http';

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

const TIMEOUT_MS = 30_000;

/** A client of one server that keeps its connections. */
export class HttpClient {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #origin: string;

  /** @param origin http://host:port */
  constructor(origin: string) {
    this.#origin = origin;
  }

  /** @throws Error when the server is not there or does not answer */
  get(path: string): Promise<HttpAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
    const question = request(this.#origin + path, { agent: this.#agent, timeout: TIMEOUT_MS }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      response.on('error', reject);
    });
    question.on('timeout', () => question.destroy(new Error(`no answer from ${this.#origin} in ${TIMEOUT_MS} ms`)));
    question.on('error', reject);
    question.end();
    return promise;
  }

  close(): void {
    this.#agent.destroy();
  }
}

const RESIDENT = /^process_resident_memory_bytes(?:\{.*\})? (\S+)$/m;

/** The resident memory of a process, bytes, from its metrics. @throws Error when they lack it */
export async function residentBytes(metricsPort: number): Promise<number> {
  const client = new HttpClient(`http://127.0.0.1:${metricsPort}`);
  try {
    const { body } = await client.get('/metrics');
    const bytes = Number(RESIDENT.exec(body)?.[1]);
    if (!Number.isFinite(bytes)) throw new Error('the metrics of a consumer do not tell its memory');
    return bytes;
  } finally {
    client.close();
  }
}
