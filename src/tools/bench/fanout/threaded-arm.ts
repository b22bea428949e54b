import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Id } from '../../../contracts/id.ts';
import type { ArmName, FanOutArm, Part, Upload } from './arm.ts';
import type { ArmGround } from './open-arm.ts';

type Method = 'prepare' | 'fanOut' | 'tidy' | 'members';

export interface ArmCall {
  readonly method: Method;
  readonly args: readonly unknown[];
}

export type ArmReply = { readonly value: unknown } | { readonly error: Error };

/** An arm in a thread of its own: nobody cleans up, within their own time, what another has left in memory. */
export class ThreadedArm implements FanOutArm {
  readonly name: ArmName;
  readonly parts: readonly Part[];
  readonly #thread: Worker;

  private constructor(name: ArmName, parts: readonly Part[], thread: Worker) {
    this.name = name;
    this.parts = parts;
    this.#thread = thread;
  }

  /** Ended with the resources. @throws what the arm throws when it is opened */
  static async open(ground: ArmGround, resources: AsyncDisposableStack): Promise<ThreadedArm> {
    const file = new URL(`./arm-thread${extname(import.meta.url)}`, import.meta.url);
    const thread = new Worker(file, { workerData: ground });
    resources.defer(async () => void (await thread.terminate()));
    return new ThreadedArm(ground.name, (await replyOf(thread)) as readonly Part[], thread);
  }

  async prepare(upload: Upload): Promise<void> {
    await this.#call('prepare', upload);
  }

  async fanOut(upload: Upload, part: Part): Promise<void> {
    await this.#call('fanOut', upload, part);
  }

  async tidy(): Promise<void> {
    await this.#call('tidy');
  }

  async members(user: Id): Promise<readonly Id[]> {
    return (await this.#call('members', user)) as readonly Id[];
  }

  #call(method: Method, ...args: readonly unknown[]): Promise<unknown> {
    this.#thread.postMessage({ method, args } satisfies ArmCall);
    return replyOf(this.#thread);
  }
}

function replyOf(thread: Worker): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  thread.once('error', reject);
  thread.once('message', (reply: ArmReply) => {
    thread.off('error', reject);
    if ('error' in reply) reject(reply.error);
    else resolve(reply.value);
  });
  return promise;
}
