import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { aptInstall, aptUnavailable } from '../../src/stack/launch/apt.ts';
import { findProgram } from '../../src/stack/launch/find-program.ts';
import { runProgram } from '../../src/stack/launch/run-program.ts';

/**
 * Producers that are not kafkajs: librdkafka, by kcat and by its Python client, which has transactions. The tests bring
 * what they need themselves: kcat and Python's venv as Debian packages where they are missing, the client from PyPI once,
 * into the project's own ignored folder.
 */

/** Runs `kcat -P` with these arguments; each message is a line. */
export async function kcat(
  brokers: readonly string[],
  topic: string,
  args: readonly string[],
  lines: readonly string[],
) {
  const program =
    findProgram('kcat', 'kafkacat') ?? (await installed('kcat', ['kcat'], () => findProgram('kcat', 'kafkacat')));
  await fed(program, ['-b', brokers.join(','), '-t', topic, '-P', ...args], lines);
}

async function fed(program: string, args: readonly string[], lines: readonly string[]): Promise<void> {
  const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'pipe'] });
  const said: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  child.stdin.end(`${lines.join('\n')}\n`);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${program} failed (exit ${code}):\n${Buffer.concat(said)}`);
}

async function installed(what: string, packages: readonly string[], look: () => string | undefined): Promise<string> {
  const unavailable = aptUnavailable();
  if (unavailable !== undefined)
    throw new Error(`${what} is not on the path; ${unavailable}. Install ${packages.join(' ')}.`);
  await aptInstall(packages);
  const found = look();
  if (found === undefined) throw new Error(`${what} is not on the path, although ${packages.join(' ')} was installed`);
  return found;
}

const CLIENT = 'confluent-kafka==2.16.1';
const VENV = resolve('.recency', CLIENT.replace('==', '-'));

/** Python with librdkafka's client. */
async function python(): Promise<string> {
  const program = join(VENV, 'bin', 'python');
  if (existsSync(program)) return program;
  await mkdir(dirname(VENV), { recursive: true });
  const unfinished = await mkdtemp(`${VENV}-`);
  try {
    await makeVenv(unfinished);
    await runProgram(join(unfinished, 'bin', 'python'), ['-m', 'pip', 'install', '-q', '--only-binary=:all:', CLIENT]);
    // Whole or not there at all; another process may have been faster. Its interpreter works wherever it lies.
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
  } catch {
    await installed('python3 with venv', ['python3', 'python3-venv'], () => findProgram('python3'));
    await make();
  }
}

/** One producer of librdkafka's in a process of its own. */
export class LibrdkafkaProducer implements AsyncDisposable {
  readonly #child;
  readonly #answers: AsyncIterator<string>;

  private constructor(program: string, config: Readonly<Record<string, string | number>>) {
    const script = fileURLToPath(new URL('librdkafka_producer.py', import.meta.url));
    this.#child = spawn(program, [script, JSON.stringify(config)], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** @param config settings of librdkafka; with a `transactional.id` it has transactions */
  static async open(brokers: readonly string[], config: Readonly<Record<string, string | number>> = {}) {
    const producer = new LibrdkafkaProducer(await python(), { 'bootstrap.servers': brokers.join(','), ...config });
    await producer.#answer();
    return producer;
  }

  /** Sends these in one batch, if it has room: texts, tombstones (null), so many zeros. Resolves when the broker has them. */
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
