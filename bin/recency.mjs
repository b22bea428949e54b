#!/usr/bin/env node
/**
 * The command `recency`: runs the build. It is committed as plain JavaScript, so that npm can link it before there is a build
 * and any Node can run it, if only to say what is missing.
 */
import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = new URL('../', import.meta.url);
const main = new URL('dist/cli/main.js', root);

/** Why the command cannot run here, and what to do; undefined: it can. */
function obstacle() {
  const [, oldest] = /(\d+)/.exec(JSON.parse(readFileSync(new URL('package.json', root), 'utf8')).engines.node);
  if (Number.parseInt(process.versions.node, 10) < Number(oldest)) {
    return `Recency needs Node.js ${oldest} or newer; this is ${process.versions.node}. In a clone of the repository,
\`npm run recency -- COMMAND\` uses the Node.js that npm installs with the packages.`;
  }
  if (existsSync(main)) return undefined;
  return `Recency is not built yet. Run \`npm run build\` in ${fileURLToPath(root)}
\`npm run recency -- COMMAND\` works without a build.`;
}

const problem = obstacle();
if (problem === undefined) await import(main.href);
else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
