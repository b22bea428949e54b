import { Command, InvalidArgumentError, Option } from 'commander';
import { endWhenUnread } from '../src/cli/output.ts';
import { MUTATIONS } from './mutations/mutations.ts';
import { WORLD_PARTS, type WorldPartLetter } from './parts.ts';
import { THREADS } from './pool.ts';
import { mutateAll, searchAll } from './prove.ts';
import { QUICK, SCENARIOS } from './scenarios/scenarios.ts';

const command = new Command('npm run prove --')
  .description(
    "Drives the product's own code through every interleaving of its steps, on models of Redis and MySQL, and checks every invariant in every state. Ends with 1 when one does not hold.",
  )
  .option('--mutate', 'take each rule out of the code in turn, and show the wrong history that follows')
  .option('--only <text>', 'the scenarios, or with --mutate the rules, whose name contains this')
  .option('--quick', 'only the small scenarios')
  .option('--budget <states>', 'states at the most, where three actions happen', whole, 2_000_000)
  .option('--threads <n>', 'threads', whole, THREADS)
  .option('--json', 'one object on stdout')
  .option('--soak <minutes>', 'instead: real servers and processes on both transports, for so long', minutesOf)
  .option('--seed <n>', 'with --soak: of what is drawn at random', whole)
  .option('--people <n>', 'with --soak: how many people use the site', whole, 150)
  .addOption(new Option('--transport <name>', 'with --soak: only this one').choices(['kafka', 'streams']))
  .addHelpText(
    'after',
    "\nExamples:\n  npm run prove\n  npm run prove -- --only 'fan-out'\n  npm run prove -- --mutate --only floor --json\n  npm run prove -- --soak 10",
  )
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));

function whole(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('a whole number from 1 is wanted');
  return Number(text);
}

function minutesOf(text: string): number {
  if (!/^\d{1,5}(\.\d+)?$/.test(text) || Number(text) === 0)
    throw new InvalidArgumentError('a number of minutes is wanted');
  return Number(text);
}

interface Options {
  readonly mutate?: true;
  readonly only?: string;
  readonly quick?: true;
  readonly budget: number;
  readonly threads: number;
  readonly json?: true;
  readonly soak?: number;
  readonly seed?: number;
  readonly people: number;
  readonly transport?: 'kafka' | 'streams';
}

const OF_WORLDS = Object.entries(WORLD_PARTS).flatMap(([part, { names }]) =>
  names.map((name) => ({ part: part as WorldPartLetter, name })),
);

async function main(): Promise<number> {
  const options = command.parse().opts<Options>();
  const { mutate, only = '', quick, budget, threads, json, soak } = options;
  if (soak !== undefined) {
    const { seed, people, transport } = options;
    const { soakCommand } = await import('./soak/command.ts');
    return await soakCommand({ minutes: soak, seed, people, transport, json: json ?? false });
  }
  const print = json ? () => undefined : (line: string) => console.log(line);
  const listed = (quick ? QUICK : SCENARIOS).map(({ part, scenario: { name } }) => ({ part, name }));
  const scenarios = [...listed, ...OF_WORLDS].filter(({ name }) => name.includes(only));
  const mutations = MUTATIONS.filter(({ rule }) => rule.includes(only));
  if ((mutate ? mutations : scenarios).length === 0) command.error(`nothing is called '${only}'`);
  const result = mutate
    ? await mutateAll(mutations, { threads, print })
    : await searchAll(scenarios, { threads, budget, print });
  if (json) console.log(JSON.stringify(result));
  const wrong = 'missed' in result ? result.missed.length + result.outdated.length : result.bad;
  return wrong === 0 ? 0 : 1;
}

endWhenUnread();
process.exitCode = await main();
