import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { shortOrLong } from './length.ts';
import { mysqlUrl, redisUrl } from './servers.ts';

const COMMAND = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/** Few people, and every phase as short as possible. */
const SMALL = shortOrLong(
  ['--users', '20', '--most', '60', '--seconds', '2', '--burst', '100', '--uploads', '6', '--rounds', '1'],
  ['--users', '60', '--most', '1200', '--seconds', '3', '--burst', '300'],
);

/** A demonstration in a process of its own, on the tests' servers. */
export class DemoCommand {
  stdout = '';
  stderr = '';
  readonly exitCode: Promise<number | null>;
  readonly #child: ChildProcess;

  /** @param args of the command; `mysql` is another server than the tests' own, `redis: 'own'` one that the demonstration starts */
  constructor(...args: (string | { readonly mysql?: string; readonly redis?: 'own' })[]) {
    const given = args.find((arg) => typeof arg === 'object');
    const words = args.filter((arg) => typeof arg === 'string');
    const servers = {
      RECENCY_MYSQL_URL: given?.mysql ?? mysqlUrl(),
      RECENCY_REDIS_URL: given?.redis === 'own' ? undefined : redisUrl(),
    };
    const env = { ...process.env, ...servers, CI: '', NO_COLOR: '1' };
    this.#child = spawn(process.execPath, [COMMAND, 'demo', ...SMALL, '--transport', 'streams', ...words], { env });
    this.#child.stdout?.on('data', (text) => {
      this.stdout += text;
    });
    this.#child.stderr?.on('data', (text) => {
      this.stderr += text;
    });
    this.exitCode = new Promise((resolve) => this.#child.once('close', resolve));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** The processes that it has started, according to /proc. */
  children(): number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => parentOf(pid) === this.pid);
  }

  get namespace(): string {
    return namespaceIn(this.stdout + this.stderr);
  }
}

/** The name of a demonstration's database, key prefix and topic, from what it says. */
export function namespaceIn(said: string): string {
  return /recency_demo_[0-9a-f]+/.exec(said)?.[0] ?? '';
}

export function isAlive(pid: number): boolean {
  return parentOf(pid) !== undefined;
}

/** Undefined: there is no such process, or it is a zombie. */
function parentOf(pid: number): number | undefined {
  try {
    // The name, in parentheses, may contain anything.
    const [state, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return state === 'Z' ? undefined : Number(parent);
  } catch {
    return undefined; // it ended meanwhile
  }
}
