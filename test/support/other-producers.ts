import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { aptInstall, aptUnavailable, findProgram, runProgram } from '../../src/tools/devservers/launch/machine.ts';

/**
 * Producers other than kafkajs: librdkafka, through kcat and through its Python client, which has transactions. The tests
 * install what they need: kcat and Python's venv as Debian packages where they are missing, the client once from PyPI
 * into an ignored folder of the project.
 */

/**
 * Sends lines with `kcat -P`, compressed; without kcat, with the Python client: both are librdkafka.
 * It compresses a batch only when that makes it smaller, so there must be many lines.
 */
export async function sendLines(brokers: readonly string[], topic: string, codec: string, lines: readonly string[]) {
  const program = await kcat();
  if (program !== undefined) {
    await fed(program, ['-b', brokers.join(','), '-t', topic, '-P', '-z', codec, '-X', 'linger.ms=100'], lines);
    return;
  }
  await using producer = await LibrdkafkaProducer.open(brokers, { 'compression.type': codec });
  await producer.send(topic, lines);
}

async function kcat(): Promise<string | undefined> {
  const look = () => findProgram('kcat', 'kafkacat');
  if (look() === undefined && aptUnavailable() === undefined) await aptInstall(['kcat']).catch(() => undefined);
  return look();
}

/** Why the Python client is not available here; undefined: it is. With CI set, its absence is a failure. */
export async function whyNoLibrdkafka(): Promise<string | undefined> {
  try {
    await python();
    return undefined;
  } catch (error) {
    const reason = `librdkafka's Python client cannot be had: ${(error as Error).message}`;
    if (process.env.CI) throw new Error(reason, { cause: error });
    console.log(`Its tests are left out: ${reason}`);
    return reason;
  }
}

async function fed(program: string, args: readonly string[], lines: readonly string[]): Promise<void> {
  const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'pipe'] });
  const said: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  child.stdin.end(`${lines.join('\n')}\n`);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${program} failed (exit ${code}):\n${Buffer.concat(said)}`);
}

const CLIENT = 'confluent-kafka==2.16.1';
const VENV = resolve('.recency', CLIENT.replace('==', '-'));

/** The Python interpreter with librdkafka's client. */
async function python(): Promise<string> {
  const program = join(VENV, 'bin', 'python');
  if (existsSync(program)) return program;
  await mkdir(dirname(VENV), { recursive: true });
  const unfinished = await mkdtemp(`${VENV}-`);
  try {
    await makeVenv(unfinished);
    await runProgram(join(unfinished, 'bin', 'python'), ['-m', 'pip', 'install', '-q', '--only-binary=:all:', CLIENT]);
    // Moved into place atomically; another process may have been faster. Its interpreter works from any path.
    await rename(unfinished, VENV).catch((error: unknown) => {
      if (!existsSync(program)) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return program;
}

async function makeVenv(folder: string): Promise<void> {
  const make = async () => runProgram(findProgram('python3') ?? 'python3', ['-m', 'venv', folder]);
  try {
    await make();
  } catch (error) {
    const unavailable = aptUnavailable();
    if (unavailable !== undefined) throw new Error(`python3 with venv is needed; ${unavailable}`, { cause: error });
    await aptInstall(['python3', 'python3-venv']);
    await make();
  }
}

/** One librdkafka producer in a process of its own. */
export class LibrdkafkaProducer implements AsyncDisposable {
  readonly #child;
  readonly #answers: AsyncIterator<string>;

  private constructor(program: string, config: Readonly<Record<string, string | number>>) {
    const script = fileURLToPath(new URL('librdkafka_producer.py', import.meta.url));
    this.#child = spawn(program, [script, JSON.stringify(config)], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** @param config settings of librdkafka; a `transactional.id` enables transactions */
  static async open(brokers: readonly string[], config: Readonly<Record<string, string | number>> = {}) {
    const producer = new LibrdkafkaProducer(await python(), { 'bootstrap.servers': brokers.join(','), ...config });
    await producer.#answer();
    return producer;
  }

  /** Sends these in one batch if they fit: texts, tombstones (null), or a number of zeros. Resolves when the broker has them. */
  async send(
    topic: string,
    values: readonly (string | number | null)[],
    headers: Record<string, string> = {},
    partition = 0,
  ) {
    const encoded = values.map((value) => (typeof value === 'string' ? Buffer.from(value).toString('base64') : value));
    return this.#ask({ do: 'send', topic, values: encoded, headers, partition });
  }

  async begin(): Promise<void> {
    await this.#ask({ do: 'begin' });
  }

  async commit(): Promise<void> {
    await this.#ask({ do: 'commit' });
  }

  async abort(): Promise<void> {
    await this.#ask({ do: 'abort' });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const closed = once(this.#child, 'close');
    this.#child.kill('SIGKILL');
    await closed;
  }

  async #ask(question: object): Promise<void> {
    this.#child.stdin.write(`${JSON.stringify(question)}\n`);
    await this.#answer();
  }

  async #answer(): Promise<void> {
    const { value, done } = await this.#answers.next();
    if (done === true) throw new Error('the Python producer ended; what it said is above');
    const { error } = JSON.parse(value) as { error?: string };
    if (error !== undefined) throw new Error(`librdkafka: ${error}`);
  }
}
