import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Id } from '../../../contracts/id.ts';
import type { Namespace } from '../../harness/namespace.ts';
import type { Crowd } from './crowd.ts';
import type { FanOutVariant, FanOutVariantName, Part, Upload } from './variant.ts';

export interface VariantSetup {
  readonly name: FanOutVariantName;
  readonly settings: Namespace['settings'];
  readonly crowd: Crowd;
}

type Method = 'prepare' | 'fanOut' | 'tidy' | 'members';

export interface VariantCall {
  readonly method: Method;
  readonly args: readonly unknown[];
}

export type VariantReply = { readonly value: unknown } | { readonly error: Error };

/** Runs a variant in its own thread, so that nobody collects another variant's garbage on their own time. */
export class ThreadedVariant implements FanOutVariant {
  readonly name: FanOutVariantName;
  readonly parts: readonly Part[];
  readonly #thread: Worker;

  private constructor(name: FanOutVariantName, parts: readonly Part[], thread: Worker) {
    this.name = name;
    this.parts = parts;
    this.#thread = thread;
  }

  /** Ends with the resources. @throws what the variant throws when it is created */
  static async open(ground: VariantSetup, resources: AsyncDisposableStack): Promise<ThreadedVariant> {
    const file = new URL(`./variant-thread${extname(import.meta.url)}`, import.meta.url);
    const thread = new Worker(file, { workerData: ground });
    resources.defer(async () => void (await thread.terminate()));
    return new ThreadedVariant(ground.name, (await replyOf(thread)) as readonly Part[], thread);
  }

  prepare = (upload: Upload) => this.#call<void>('prepare', upload);
  fanOut = (upload: Upload, part: Part) => this.#call<void>('fanOut', upload, part);
  tidy = () => this.#call<void>('tidy');
  members = (user: Id) => this.#call<readonly Id[]>('members', user);

  #call<T>(method: Method, ...args: readonly unknown[]): Promise<T> {
    this.#thread.postMessage({ method, args } satisfies VariantCall);
    return replyOf(this.#thread) as Promise<T>;
  }
}

function replyOf(thread: Worker): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  thread.once('error', reject);
  thread.once('message', (reply: VariantReply) => {
    thread.off('error', reject);
    if ('error' in reply) reject(reply.error);
    else resolve(reply.value);
  });
  return promise;
}
