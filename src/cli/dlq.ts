import type { Command } from 'commander';
import { letterTime, letterView, listedLetterView } from '../transport/dead-letter-view.ts';
import { type DeadLetters, type ListedLetter, NotReplayable } from '../transport/dead-letters.ts';
import { whole } from './arguments.ts';
import { defineCommand, defineGroup, whenCalled } from './define-command.ts';
import { EXIT, UsageError } from './exit-code.ts';
import { interruptible } from './interrupt.ts';

export function addDlq(program: Command): void {
  const dlq = defineGroup(program, {
    usage: 'dlq',
    summary: 'lists, shows and replays dead letters: messages that cannot be applied',
    example: 'dlq list',
  });
  addList(dlq);
  addShow(dlq);
  addReplay(dlq);
}

function addList(dlq: Command): void {
  const command = defineCommand(dlq, {
    usage: 'list',
    summary: 'lists dead letters, oldest first, without their bodies',
    example: 'dlq list --limit 20',
  })
    .option('--limit <n>', 'maximum number of letters', whole(1, 10_000), 100)
    .option('--after <id>', 'start after this letter');
  whenCalled<{ limit: number; after?: string }>(command, async (output, { limit, after }) => {
    const letters = await withDeadLetters((deadLetters) =>
      deadLetters.list({ limit, ...(after === undefined ? {} : { after }) }).catch(refuseId),
    );
    if (output.json) for (const letter of letters) await output.result(listedLetterView(letter), '');
    else await output.result({}, () => table(letters));
    if (letters.length === limit) output.note(`There may be more; continue with --after ${letters.at(-1)?.id}`);
  });
}

function addShow(dlq: Command): void {
  const command = defineCommand(dlq, {
    usage: 'show',
    summary: 'shows a dead letter: its headers, and the first 64 KiB of its body',
    example: 'dlq show 0-17',
  }).argument('<id>', 'the id from `dlq list`');
  whenCalled<object, [id: string]>(command, async (output, _options, id) => {
    const letter = await withDeadLetters((deadLetters) => deadLetters.get(id));
    if (letter === undefined) {
      output.note(noLetter(id));
      output.exitCode = EXIT.failed;
      return;
    }
    const { body, headers, time } = letterView(letter);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    await output.result(
      letterView(letter),
      [`id: ${id}`, `time: ${time}`, ...lines, '', body ?? '(no body)'].join('\n'),
    );
    const { 'dlq-body-truncated': isTruncated, 'dlq-body-bytes': bytes } = headers;
    if (isTruncated === 'true')
      output.note(`The body is truncated: ${letter.body?.length} of ${bytes} bytes are kept.`);
  });
}

function addReplay(dlq: Command): void {
  const command = defineCommand(dlq, {
    usage: 'replay',
    summary: 'publishes dead letters again, once their cause is fixed',
    example: 'dlq replay 0-17 0-18',
  }).argument('<id...>', 'ids from `dlq list`');
  whenCalled<object, [ids: string[]]>(command, async (output, _options, ids) => {
    const outcome = await withDeadLetters((deadLetters) => deadLetters.replay(ids)).catch((error: unknown) => {
      if (!(error instanceof NotReplayable)) throw error;
      output.note(`${error.message}. Nothing was replayed.`);
      return undefined;
    });
    if (outcome === undefined) {
      output.exitCode = EXIT.failed;
      return;
    }
    const { replayed, missing } = outcome;
    const asked = new Set(ids).size;
    await output.result({ asked, replayed, missing }, `${replayed} of ${asked} were published again.`);
    if (missing.length === 0) return;
    output.note(noLetter(missing.join(', ')));
    output.exitCode = EXIT.failed;
  });
}

/** @param ids one id, or several joined by commas */
function noLetter(ids: string): string {
  return `There is no dead letter ${ids}. \`recency dlq list\` lists them.`;
}

function refuseId(error: unknown): never {
  throw error instanceof RangeError ? new UsageError(`--after: ${error.message}`) : error;
}

async function withDeadLetters<T>(work: (deadLetters: DeadLetters) => Promise<T>): Promise<T> {
  const { withTransport } = await import('../app/transport.ts');
  return await interruptible((signal) =>
    withTransport('dlq', signal, async (transport, primary) => {
      const deadLetters = transport.openDeadLetters(primary);
      return await work(deadLetters).finally(() => deadLetters.close());
    }),
  );
}

async function table(letters: readonly ListedLetter[]): Promise<string> {
  if (letters.length === 0) return 'There are no dead letters.';
  const { textTable } = await import('./text-table.ts');
  return textTable(
    ['id', 'time', 'type', 'why'],
    letters.map((letter) => [
      letter.id,
      letterTime(letter.timestamp),
      letter.headers.ce_type ?? '',
      letter.headers['dlq-exception-message'] ?? '',
    ]),
  );
}
