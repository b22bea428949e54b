/**
 * Makes mistakes in the product at random, one at a time, and sees whether the tests notice: a condition is negated, or a statement
 * removed. Works on a copy of the tree, with the tests that import the changed file: first those that need no server. The same seed
 * makes the same mistakes.
 *
 *   node scripts/mutate.ts --seed 1 --count 50 [--tree FOLDER] [--list]
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A test that never ends is a mistake that was noticed, too. */
const LIMIT_MS = 10 * 60_000;

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

/** Without it a constructor cannot run, which any test would notice. */
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

/** A copy of what is committed, with the packages of this tree. */
function copyTree(tree: string): string {
  mkdirSync(tree, { recursive: true });
  const copied = spawnSync('sh', ['-c', `git archive HEAD | tar -x -C '${tree}'`], { cwd: root, stdio: 'inherit' });
  if (copied.status !== 0) throw new Error(`the tree could not be copied to ${tree}`);
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  return tree;
}

function tryAll(all: readonly Mutation[], tree: string): number {
  const missed = all.filter((mutation) => !isNoticed(mutation, tree));
  console.log(`\n${all.length - missed.length} of ${all.length} noticed (seed ${values.seed})`);
  for (const mutation of missed) console.log(`missed: ${describe(mutation)}`);
  return 0;
}

function isNoticed(mutation: Mutation, tree: string): boolean {
  const path = join(tree, mutation.file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, `${text.slice(0, mutation.start)}${mutation.text}${text.slice(mutation.end)}`);
  const started = performance.now();
  const noticed = ['unit', '!unit'].some((project) => !passesRelated(mutation.file, project, tree));
  writeFileSync(path, text);
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`${noticed ? 'noticed' : 'MISSED '} ${describe(mutation)} (${seconds} s)`);
  return noticed;
}

function passesRelated(file: string, project: string, tree: string): boolean {
  const args = [
    'related',
    file,
    '--run',
    '--bail',
    '1',
    '--reporter',
    'dot',
    '--project',
    project,
    '--passWithNoTests',
  ];
  return spawnSync('vitest', args, { cwd: tree, encoding: 'utf8', timeout: LIMIT_MS }).status === 0;
}

function describe({ file, line, what, text }: Mutation): string {
  return `${file}:${line} ${what}${what === 'negated' ? ` ${text.replaceAll(/\s+/g, ' ').slice(0, 80)}` : ''}`;
}
