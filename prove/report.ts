import type { JobResult } from './job.ts';
import type { Mutation } from './mutations/mutation.ts';
import type { Part } from './parts.ts';
import type { Trace } from './search/trace.ts';

const PART_TEXT: Readonly<Record<Part, string>> = {
  a: '1 user, 3 contacts, max 2, min 1; 2 workers',
  b: '1 owner, 2 followers in one page; 2 workers',
  c: '3 actions, as far as the budget goes',
  d: '1 user, 3 groups; 1 group, 2 members; 1 user, contacts and groups; 2 workers',
  f: '1 owner, 2 followers in segments of one; 2 workers',
  e: '1 watch, 2 contacts; 1 worker, 2 notifiers, a subscriber',
  g: '2 MySQL servers, 1 pair, 1 partition',
  i: '2 Redis masters, 2 processes, 1 pair',
  j: 'a MySQL server and its copy, 2 databases of Redis, 2 processes, 1 pair',
  h: '2 changes of a captured server; 1 capture',
};

const NAME_WIDTH = 36;

/** Wider than any rule's name. */
const RULE_WIDTH = 76;

export function partText(part: Part): string {
  return `${part}. ${PART_TEXT[part]}`;
}

export function scenarioHeader(): string {
  return `   ${'scenario'.padEnd(NAME_WIDTH)}${columns('histories', 'states', 'at rest', 'seconds')}  bad`;
}

export function scenarioLine(name: string, result: JobResult): string {
  const bad = result.violation === undefined ? '0' : `${result.violation.rule}`;
  return `   ${name.padEnd(NAME_WIDTH)}${figures(result)}  ${bad}${result.cut ? '  (cut)' : ''}`;
}

export function totalLine(results: readonly JobResult[], seconds: number): string {
  const sum = (field: 'histories' | 'states' | 'atRest') => results.reduce((all, result) => all + result[field], 0);
  const bad = results.filter((result) => result.violation !== undefined).length;
  const total = { histories: sum('histories'), states: sum('states'), atRest: sum('atRest'), seconds };
  return `   ${'total'.padEnd(NAME_WIDTH)}${figures(total)}  ${bad}`;
}

/** A wrong history, step by step. */
export function historyLines({ violation, trace, scenario }: JobResult): string[] {
  if (violation === undefined) return [];
  return [`   ${violation.rule} is broken (${scenario}): ${violation.what}`, ...traceLines(trace)].map((line) =>
    line.trimEnd(),
  );
}

function traceLines(trace: Trace | undefined): string[] {
  if (trace === undefined) return [];
  const steps = trace.events.map((event, i) => `   ${String(i + 1).padStart(4)}  ${event}`);
  return [...trace.start.map((line) => `   start ${line}`), ...steps, ...trace.end.map((line) => `   end   ${line}`)];
}

/** A removed rule: the outcome, and the history that shows it. */
export function mutationLines(mutation: Mutation, result: JobResult): string[] {
  const { rule, instead, notCaught } = mutation;
  const known = result.violation === undefined && notCaught ? [`   known: ${notCaught}`] : [];
  const head = `${rule.padEnd(RULE_WIDTH)}${verdictOf(mutation, result).padEnd(28)}${result.seconds.toFixed(1).padStart(6)} s`;
  return [head, `   instead: ${instead}`, ...historyLines(result), ...known, ''];
}

function verdictOf({ notCaught }: Mutation, { violation, trace }: JobResult): string {
  if (violation === undefined) return notCaught ? 'not caught, as known' : 'NOT CAUGHT';
  const events = trace?.events.length;
  return `caught: ${violation.rule}${events === undefined ? '' : ` after ${events} events`}`;
}

function figures({
  histories,
  states,
  atRest,
  seconds,
}: Pick<JobResult, 'histories' | 'states' | 'atRest' | 'seconds'>): string {
  return columns(...[histories, states, atRest].map((count) => count.toLocaleString('en')), seconds.toFixed(1));
}

function columns(...texts: string[]): string {
  return texts.map((text) => text.padStart(12)).join('');
}
