import type { Command } from 'commander';
import {
  type DeadLetters,
  type ListedLetter,
  letterTime,
  letterView,
  listedLetterView,
  NotReplayable,
} from '../transport/dead-letters.ts';
import { whole } from './arguments.ts';
import { action, defineCommand, defineGroup, interruptible } from './define-command.ts';
import { EXIT, UsageError } from './exit-code.ts';

export function addDlq(program: Command): void {
  const dlq = defineGroup(program, {
    usage: 'dlq',
    summary: 'lists, shows, replays and discards dead letters: messages that cannot be applied',
    example: 'dlq list',
  });
  addList(dlq);
  addShow(dlq);
  addReplay(dlq);
  addDiscard(dlq);
}

function addList(dlq: Command): void {
  const command = defineCommand(dlq, {
    usage: 'list',
    summary: 'lists dead letters, oldest first, without their bodies',
    example: 'dlq list --limit 20',
  })
    .option('--limit <n>', 'maximum number of letters', whole(1, 10_000), 100)
    .option('--after <id>', 'start after this letter');
  action<{ limit: number; after?: string }>(command, async (output, { limit, after }) => {
    const letters = await withDeadLetters((deadLetters) =>
      deadLetters.list({ limit, ...(after === undefined ? {} : { after }) }).catch(refuseId),
    );
    await output.result({ dead_letters: letters.map(listedLetterView) }, () => table(letters));
    if (letters.length === limit) output.note(`There may be more; continue with --after ${letters.at(-1)?.id}`);
  });
}

function addShow(dlq: Command): void {
  const command = defineCommand(dlq, {
    usage: 'show',
    summary: 'shows a dead letter: its headers, and the first 64 KiB of its body',
    example: 'dlq show 0-17',
  }).argument('<id>', 'the id from `dlq list`');
  action<object, [id: string]>(command, async (output, _options, id) => {
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
  action<object, [ids: string[]]>(command, async (output, _options, ids) => {
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

function addDiscard(dlq: Command): void {
  const command = defineCommand(dlq, {
    usage: 'discard',
    summary: 'lists dead letters no longer, and keeps who they were and why: they change nothing any more',
    example: 'dlq discard 0-17 --why "of a test"',
  })
    .argument('[id...]', 'ids from `dlq list`')
    .option('--type <type>', 'all of this type, as `dlq list` shows it')
    .option('--why <text>', 'the reason, which is kept (required)', '');
  action<{ type?: string; why: string }, [ids: string[]]>(command, async (output, { type, why }, ids) => {
    if ((ids.length === 0) === (type === undefined)) throw new UsageError('name either ids or --type');
    if (why.trim() === '') throw new UsageError('--why must say something');
    const which = type === undefined ? ids : { type };
    const { discarded, missing } = await withDeadLetters((deadLetters) => deadLetters.discard(which, why));
    const audit = { at: new Date().toISOString(), why };
    await output.result({ discarded, missing, ...audit }, `${discarded.length} discarded at ${audit.at}: ${why}`);
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
  const transport = await import('../app/transport.ts');
  return await interruptible((signal) => transport.withDeadLetters('dlq', signal, work));
}

async function table(letters: readonly ListedLetter[]): Promise<string> {
  if (letters.length === 0) return 'There are no dead letters.';
  const { textTable } = await import('./output.ts');
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
