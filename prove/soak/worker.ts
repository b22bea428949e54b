import { UNRULY_RELAY } from '../../src/tools/demo/processes/services.ts';
import { HttpClient } from '../../src/tools/harness/http.ts';
import { type ProcessGroup, RECENCY, type ServiceProcess } from '../../src/tools/harness/processes/process-group.ts';

export type WorkerKind = 'api' | 'relay' | 'unruly relay' | 'consumer';

export interface WorkerOptions {
  readonly processGroup: ProcessGroup;
  readonly kind: WorkerKind;
  /** Unique. */
  readonly name: string;
  /** Of its API, or of its metrics. */
  readonly port: number;
  readonly seed: number;
}

const LOOK_MS = 500;
const DELIVERED = /^recency_tasks_total(?:\{.*\})? (\S+)$/m;

/** One process of the product, and what it tells of itself. */
export class Worker {
  readonly kind: WorkerKind;
  readonly name: string;
  readonly process: ServiceProcess;
  readonly http: HttpClient;
  /** Of a consumer: tasks that it has acknowledged. */
  delivered = 0;
  /** Of an unruly relay: tasks that it will send a second time. */
  held = 0;
  readonly #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor({ processGroup, kind, name, port, seed }: WorkerOptions) {
    this.kind = kind;
    this.name = name;
    this.http = new HttpClient(`http://127.0.0.1:${port}`);
    const started = { name, module: RECENCY };
    const metrics = { METRICS_PORT: `${port}` };
    switch (kind) {
      case 'api':
        this.process = processGroup.start({
          ...started,
          args: ['serve'],
          settings: { HOST: '127.0.0.1', PORT: `${port}` },
        });
        break;
      case 'relay':
        this.process = processGroup.start({ ...started, args: ['relay'], settings: metrics });
        break;
      case 'consumer':
        this.process = processGroup.start({ ...started, args: ['consume'], settings: metrics });
        this.#timer = setInterval(() => void this.look(), LOOK_MS);
        break;
      case 'unruly relay':
        this.process = processGroup.start({ name, module: UNRULY_RELAY, args: [`${seed}`] });
        this.process.onMessage((counts) => {
          this.held = (counts as { held: number }).held;
        });
    }
  }

  /** Does it answer? An unruly relay need not. */
  async isReady(): Promise<boolean> {
    if (this.kind === 'unruly relay') return true;
    const path = this.kind === 'api' ? '/readyz' : '/livez';
    const answer = await this.http.get(path).catch(() => undefined);
    return answer?.status === 200 && !answer.body.includes('"degraded"');
  }

  /** Nobody asks it any more. */
  close(): void {
    clearInterval(this.#timer);
  }

  /** Has a consumer count. One look at a time: a stopped process does not answer. */
  async look(): Promise<void> {
    this.#looking ??= this.#readMetrics().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  async #readMetrics(): Promise<void> {
    const answer = await this.http.get('/metrics').catch(() => undefined);
    const delivered = Number(DELIVERED.exec(answer?.body ?? '')?.[1]);
    if (Number.isFinite(delivered)) this.delivered = delivered;
  }
}
