/**
 * Makes mistakes in the product at random, one at a time, and sees whether the tests notice: a condition is negated, or a statement
 * removed. Works on a copy of the tree. Each mistake meets the unit tests that import its file, and the tests of its folder on servers. Then
 * the whole suite meets all mistakes that passed these, at once: a file that fails is run with each of them alone. The same seed makes the
 * same mistakes. What the suite must notice in its long form: TEST_LONG=true.
 *
 *   node scripts/mutate.ts --seed 1 --count 50 [--tree FOLDER] [--list]
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A test that never ends is a mistake that was noticed, too. Of the nearest tests, and of the whole suite. */
const [NEARBY_LIMIT_MS, SUITE_LIMIT_MS] = [5 * 60_000, 40 * 60_000];

/** Files that failed with all mistakes, and are run with each alone first: one mistake may fail hundreds. */
const TRIED_ALONE = 5;

interface Mutation {
  readonly file: string;
  readonly line: number;
  readonly what: 'negated' | 'removed';
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '50' },
    tree: { type: 'string', default: join(root, '.recency', 'mutated') },
    list: { type: 'boolean', default: false },
  },
});

const mutations = choose(Number(values.seed), Number(values.count));
if (values.list) for (const mutation of mutations) console.log(describe(mutation));
else process.exitCode = tryAll(mutations, copyTree(resolve(values.tree)));

/** The files whose mistakes are the product's: neither tools, nor tests. */
function productFiles(): string[] {
  const { stdout } = spawnSync('git', ['ls-files', 'src/*.ts', 'src/**/*.ts'], { cwd: root, encoding: 'utf8' });
  return stdout
    .trim()
    .split('\n')
    .filter((file) => !file.startsWith('src/tools/'));
}

/** Each place of the product is as likely as any other. */
function choose(seed: number, count: number): Mutation[] {
  const places = productFiles().flatMap(mutationsOf);
  const random = randomFrom(seed);
  const chosen = new Set<Mutation>();
  while (chosen.size < Math.min(count, places.length)) {
    chosen.add(places[Math.floor(random() * places.length)] as Mutation);
  }
  return [...chosen];
}

function mutationsOf(file: string): Mutation[] {
  const text = readFileSync(join(root, file), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Mutation[] = [];
  const add = (what: Mutation['what'], node: ts.Node, replacement: string) => {
    const start = node.getStart(source);
    const line = source.getLineAndCharacterOfPosition(start).line + 1;
    found.push({ file, line, what, start, end: node.end, text: replacement });
  };
  const visit = (node: ts.Node) => {
    if (ts.isIfStatement(node)) add('negated', node.expression, `!(${node.expression.getText(source)})`);
    if (ts.isConditionalExpression(node)) add('negated', node.condition, `!(${node.condition.getText(source)})`);
    if (ts.isExpressionStatement(node) && !isSuperCall(node)) add('removed', node, ';');
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Without it, a constructor cannot run, which any test would notice. */
function isSuperCall({ expression }: ts.ExpressionStatement): boolean {
  return ts.isCallExpression(expression) && expression.expression.kind === ts.SyntaxKind.SuperKeyword;
}

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A clone of what is committed, because some tests ask git, with the packages of this tree. */
function copyTree(tree: string): string {
  const cloned = spawnSync('git', ['clone', '--quiet', root, tree], { stdio: 'inherit' });
  if (cloned.status !== 0) throw new Error(`the tree could not be cloned to ${tree}`);
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  return tree;
}

function tryAll(all: readonly Mutation[], tree: string): number {
  const passed = all.filter((mutation) => !isNoticedNearby(mutation, tree));
  const missed = missedBySuite(passed, tree);
  console.log(`\n${all.length - missed.length} of ${all.length} noticed (seed ${values.seed})`);
  for (const mutation of missed) console.log(`missed: ${describe(mutation)}`);
  return 0;
}

function isNoticedNearby(mutation: Mutation, tree: string): boolean {
  const nearby = nearestTests(dirname(mutation.file.replace('src/', 'test/')));
  const started = performance.now();
  const noticed = withMutations([mutation], tree, () =>
    [
      ['related', mutation.file, '--run', '--bail', '1', '--project', 'unit'],
      ['run', `${nearby}/`, '--bail', '1', '--project', '!unit'],
    ].some((args) => failedFiles(args, tree, NEARBY_LIMIT_MS).length > 0),
  );
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`${noticed ? 'noticed' : 'passed '} ${describe(mutation)} (${seconds} s)`);
  return noticed;
}

/** The tests mirror the source, in fewer folders. */
function nearestTests(folder: string): string {
  return existsSync(join(root, folder)) ? folder : nearestTests(dirname(folder));
}

/** Whole runs with all that is left, until one passes. */
function missedBySuite(mutations: readonly Mutation[], tree: string): readonly Mutation[] {
  if (mutations.length === 0) return [];
  const failed = withMutations(mutations, tree, () => failedFiles(['run'], tree));
  console.log(`the whole suite with ${mutations.length} mistakes: ${failed.length} files failed ${failed.join(' ')}`);
  const missedBy = (files: readonly string[]) => mutations.filter((mutation) => !isNoticedBy(files, mutation, tree));
  const few = missedBy(failed.slice(0, TRIED_ALONE));
  const missed = few.length < mutations.length ? few : missedBy(failed.slice(TRIED_ALONE));
  return missed.length < mutations.length ? missedBySuite(missed, tree) : missed;
}

function isNoticedBy(files: readonly string[], mutation: Mutation, tree: string): boolean {
  const by = files.find((file) =>
    withMutations([mutation], tree, () => failedFiles(['run', file, '--bail', '1'], tree).length > 0),
  );
  if (by !== undefined) console.log(`noticed ${describe(mutation)} (by ${by})`);
  return by !== undefined;
}

/** What `action` returns while the copy has these mistakes. */
function withMutations<T>(mutations: readonly Mutation[], tree: string, action: () => T): T {
  const original = new Map(mutations.map(({ file }) => [file, readFileSync(join(tree, file), 'utf8')]));
  // From the end of each file, so that the places before it stay where they are.
  for (const { file, start, end, text } of mutations.toSorted((one, other) => other.start - one.start)) {
    const before = readFileSync(join(tree, file), 'utf8');
    writeFileSync(join(tree, file), `${before.slice(0, start)}${text}${before.slice(end)}`);
  }
  try {
    return action();
  } finally {
    for (const [file, text] of original) writeFileSync(join(tree, file), text);
  }
}

interface FileResult {
  readonly name: string;
  /** Of an error outside of tests. */
  readonly message: string;
  readonly assertionResults: readonly { readonly status: string }[];
}

/** A file that did not run because another one had failed counts as failed in the report, too. */
function hasFailed({ message, assertionResults }: FileResult): boolean {
  return message !== '' || assertionResults.some(({ status }) => status === 'failed');
}

/** The files that failed; the folder of all, where the command failed without one. */
function failedFiles(args: readonly string[], tree: string, timeout = SUITE_LIMIT_MS): string[] {
  const report = join(tree, '.recency', 'mutate.json');
  rmSync(report, { force: true });
  const options = ['--reporter', 'json', '--outputFile', report, '--passWithNoTests'];
  const { status } = spawnSync('vitest', [...args, ...options], {
    cwd: tree,
    encoding: 'utf8',
    timeout,
    killSignal: 'SIGKILL',
  });
  if (status === 0) return [];
  const results: FileResult[] = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')).testResults : [];
  const failed = results.filter(hasFailed).map(({ name }) => relative(tree, name));
  return failed.length > 0 ? failed : ['test'];
}

function describe({ file, line, what, text }: Mutation): string {
  return `${file}:${line} ${what}${what === 'negated' ? ` ${text.replaceAll(/\s+/g, ' ').slice(0, 80)}` : ''}`;
}
