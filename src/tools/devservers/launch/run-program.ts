import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';

export interface RunOptions {
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Ends the program when it aborts. */
  readonly signal?: AbortSignal;
}

/** Runs a program to its end and returns what it printed. Throws with its last lines when it fails. */
export async function runProgram(program: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.environment },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.signal === undefined ? {} : { signal: options.signal, killSignal: 'SIGKILL' as const }),
  });
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => printed.push(chunk));
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  const output = Buffer.concat(printed).toString();
  if (code !== 0) throw new Error(`${program} failed (${signal ?? `exit ${code}`}):\n${lastLines(output)}`);
  return output;
}

/** The end of a log, enough to see why a program failed. */
export function lastLines(text: string, count = 12): string {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}
