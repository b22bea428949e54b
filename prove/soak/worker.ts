import { UNRULY_RELAY } from '../../src/tools/demo/processes/services.ts';
import { HttpClient } from '../../src/tools/harness/http.ts';
import { type ProcessGroup, RECENCY, type ServiceProcess } from '../../src/tools/harness/processes/process-group.ts';

export type WorkerKind = 'api' | 'relay' | 'unruly relay' | 'consumer';

export interface WorkerOptions {
  readonly processGroup: ProcessGroup;
  readonly kind: WorkerKind;
  /** Unique. */
  readonly name: string;
  /** Port of its API or its metrics. */
  readonly port: number;
  readonly seed: number;
}

const LOOK_MS = 500;
const DELIVERED = /^recency_tasks_total(?:\{.*\})? (\S+)$/m;
const SEGMENTS = /^recency_fan_out_segments_total(?:\{.*\})? (\S+)$/m;

/** A process of the product, and its metrics. */
export class Worker {
  readonly kind: WorkerKind;
  readonly name: string;
  readonly process: ServiceProcess;
  readonly http: HttpClient;
  /** Tasks acknowledged, if it is a consumer. */
  delivered = 0;
  /** Segments of large fan-outs done, if it is a consumer. */
  segments = 0;
  /** Tasks still to be sent a second time, if it is an unruly relay. */
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

  /** It is not asked any more. */
  close(): void {
    clearInterval(this.#timer);
  }

  /** Updates a consumer's count. One request at a time, because a stopped process does not answer. */
  async look(): Promise<void> {
    this.#looking ??= this.#readMetrics().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  async #readMetrics(): Promise<void> {
    const answer = await this.http.get('/metrics').catch(() => undefined);
    const read = (metric: RegExp) => Number(metric.exec(answer?.body ?? '')?.[1]);
    const [delivered, segments] = [read(DELIVERED), read(SEGMENTS)];
    if (Number.isFinite(delivered)) this.delivered = delivered;
    if (Number.isFinite(segments)) this.segments = segments;
  }
}
