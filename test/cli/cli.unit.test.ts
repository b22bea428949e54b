import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { defineProgram, runCommandLine } from '../../src/cli/program.ts';

afterEach(() => vi.restoreAllMocks());

function leaves(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
}

function nameOf(command: Command): string {
  return command.parent === null ? '' : `${nameOf(command.parent)} ${command.name()}`.trim();
}

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (some) => (text += some) }).outputHelp();
  return text;
}

const NAMES = leaves(await defineProgram()).map(nameOf);

function leaf(program: Command, name: string): Command {
  const found = leaves(program).find((command) => nameOf(command) === name);
  if (found === undefined) throw new Error(name);
  return found;
}

describe('the command line', () => {
  it('has every command', () => {
    const documented =
      'stack up|stack down|stack status|migrate|init|triggers|import|serve|consume|relay|capture|notify|backfill|verify|repair|runs|inspect|explain|forget|' +
      'doctor|config print|config set|config adopt|epoch show|epoch bump|fan-outs|dlq list|dlq show|dlq replay|dlq discard|' +
      'watches list|watches show|watches test|watches remove|watches undelivered list|watches undelivered replay|demo|bench|size';
    expect(NAMES).toEqual(documented.split('|'));
  });

  it.each(NAMES)('%s: says what it does, takes --json, and has an example that can be run', async (name) => {
    const program = await defineProgram();
    const command = leaf(program, name);
    expect(command.description()).not.toBe('');
    expect(command.options.map(({ long }) => long)).toContain('--json');
    const [, example = ''] = /\nExample:\n {2}recency (.+)\n/.exec(helpOf(command)) ?? [];
    expect(example).toMatch(new RegExp(`^${name}( |$)`));
    let wasCalled = false;
    command.action(() => {
      wasCalled = true;
    });
    const args = example.replace(/ >.*/, '').match(/"[^"]*"|\S+/g) ?? [];
    await program.parseAsync(args, { from: 'user' });
    expect(wasCalled).toBe(true);
  });

  it('has an example in the help of what only has commands below it, too', async () => {
    const program = await defineProgram();
    const groups = program.commands.filter((command) => command.commands.length > 0);
    expect(groups.map(nameOf)).toEqual(['stack', 'config', 'epoch', 'dlq', 'watches']);
    for (const command of [program, ...groups]) {
      const [, example = ''] = /\nExample:\n {2}recency (.+)\n$/.exec(helpOf(command)) ?? [];
      expect(example.split(' ').slice(0, 2).join(' ')).toMatch(new RegExp(`^${nameOf(command)}`));
      expect(NAMES.some((name) => example.startsWith(name))).toBe(true);
    }
  });

  it.each(['stack', 'import', 'demo', 'bench', 'size'])('help %s: is the same as with --help', async (name) => {
    const printed = async (...args: string[]) => {
      const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
      expect(await runCommandLine(args)).toBe(0);
      return written.mock.calls.splice(0).join('');
    };
    const help = await printed(name, '--help');
    expect(help).toMatch(name === 'stack' ? /up \[options\]/ : /--json/);
    expect(await printed('help', name)).toBe(help);
  });

  it('has its commands in groups', async () => {
    const help = (await defineProgram('serve')).helpInformation();
    const groups = [...help.matchAll(/^(\S.*):\n((?: {2}.*\n)+)/gm)].map(([, title = '', lines = '']) => {
      return [title, lines.match(/^ {2}[a-z][a-z-]*/gm)?.length ?? 0] as const;
    });
    expect(groups.map(([title]) => title)).toEqual([
      ...['Options', 'To set up', 'Processes', 'Indexes', 'To operate', 'To try and to measure', 'Help'],
    ]);
    for (const [title, commands] of groups.slice(1)) expect(commands, title).toBeLessThanOrEqual(7);
  });

  it('the list of commands shows the arguments of those that are loaded when called', async () => {
    const help = (await defineProgram('serve')).helpInformation();
    expect(help).toContain('import [options] <file>');
    expect(help).toContain('bench [options] [name]');
  });

  it.each(NAMES)('%s: an unknown flag is wrong use', async (name) => {
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const required = { 'epoch bump': ['--why', 'x'], size: ['--users', '1'], triggers: ['--mapping', 'x'] }[name] ?? [];
    expect(await runCommandLine([...name.split(' '), ...required, '--no-such-flag'])).toBe(2);
    expect(said.mock.calls.join('')).toContain('--no-such-flag');
  });
});

describe('the output', () => {
  it('that nobody reads any more ends the command without a word', async () => {
    const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
    const child = spawn(process.execPath, [main, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const [code] = await once(child, 'close');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  });
});

describe('an id of nothing', () => {
  it('stack down: is named, and is a failure', async () => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const said = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    expect(await runCommandLine(['stack', 'down', 'nope'])).toBe(1);
    expect(said.mock.calls.join('')).toBe('No servers have the id nope.\n');
  });
});

describe('wrong use', () => {
  it.each([
    ['an unknown command', ['vrify'], /unknown command 'vrify'/],
    ['no command', [], /Usage: recency/],
    ['a missing argument', ['inspect'], /user/],
    ['an argument too many', ['inspect', '1', '2'], /too many arguments/],
    ['an id that is none', ['inspect', '01'], /decimal digits/],
    ['an id above 2^64', ['forget', '18446744073709551616'], /decimal digits/],
    ['an id with a sign', ['verify', '--user', '-1'], /decimal digits/],
    ['nobody to verify', ['verify', '--users', '0'], /whole number from 1/],
    ['both a user and users', ['verify', '--user', '1', '--users', 'all'], /cannot be used with/],
    ['an empty range', ['backfill', '--from', '3', '--to', '2'], /empty range/],
    ['a rate of nothing', ['backfill', '--rate', '0'], /whole number from 1/],
    ['a run and a range', ['backfill', '--resume', '1', '--from', '2'], /--resume/],
    ['a self-contact', ['explain', '7', '7'], /contact of their own/],
    ['an epoch without a reason', ['epoch', 'bump'], /--why/],
    ['an epoch for an empty reason', ['epoch', 'bump', '--why', ' '], /--why must say something/],
    ['a time without its zone', ['relay', '--republish', '--from', '2026-01-01T00:00:00'], /with its time zone/],
    [
      'an empty time range',
      ['relay', '--republish', '--from', '2026-01-02T00:00Z', '--to', '2026-01-01T00:00Z'],
      /empty time range/,
    ],
    ['a time without --republish', ['relay', '--from', '2026-01-01T00:00Z'], /--republish/],
    ['contradicting flags', ['migrate', '--status', '--rollback'], /cannot be used with/],
    ['a size of nobody', ['size'], /--users/],
    ['a size of no number', ['size', '--users', 'many'], /--users.*whole number from 1/],
    ['a peak below the mean', ['size', '--users', '9', '--peak-factor', '0.5'], /--peak-factor.*number from 1/],
    ['a mean above the most', ['size', '--users', '9', '--contacts-per-user', '30000'], /more than --most-contacts/],
    ['an unknown transport', ['demo', '--transport', 'rabbit'], /kafka, streams/],
  ])('%s', async (_what, args, message) => {
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(await runCommandLine(args)).toBe(2);
    expect(said.mock.calls.join('')).toMatch(message);
  });

  it.each([
    ['RECENCY_MIN', '24', /RECENCY_MIN must be less than RECENCY_MAX/],
    ['RECENCY_MAX', '128', /RECENCY_MAX must be a whole number from 1 to 127/],
    ['RECENCY_REDIS_TIMEOUT_MS', '0', /RECENCY_REDIS_TIMEOUT_MS must be/],
    ['RECENCY_MYSQL_ULR', 'mysql://u:secret-word@h/d', /Did you mean RECENCY_MYSQL_URL\?/],
    ['RECENCY_TOKENS', 'secret-word', /RECENCY_TOKENS is wrong: token 1 names no scope/],
  ])('of a setting: %s=%s', async (name, value, message) => {
    vi.stubEnv(name, value);
    vi.stubEnv('RECENCY_MYSQL_URL', 'mysql://127.0.0.1:1/x'); // nothing is asked of it
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    for (const command of ['migrate', 'serve', 'consume', 'relay', 'backfill']) {
      expect(await runCommandLine([command])).toBe(2);
    }
    vi.unstubAllEnvs();
    expect(said.mock.calls.join('')).toMatch(message);
    expect(said.mock.calls.join('')).not.toContain('secret-word');
  });

  it('is not to ask for help or for the version', async () => {
    const said = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    expect(await runCommandLine(['--help'])).toBe(0);
    expect(await runCommandLine(['verify', '--help'])).toBe(0);
    expect(await runCommandLine(['--version'])).toBe(0);
    expect(said.mock.calls.join('')).toMatch(/\d+\.\d+\.\d+\n$/);
  });
});
