/** Rebuilds `packages/client/dist` from scratch: the client for any Node from 20, with its types. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'packages', 'client');

rmSync(join(source, 'dist'), { recursive: true, force: true });
const compile = ['-p', join(source, 'tsconfig.build.json')];
execFileSync(join(root, 'node_modules', '.bin', 'tsc'), compile, { stdio: 'inherit' });
