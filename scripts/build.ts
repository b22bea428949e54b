/** Rebuilds `dist`, or the folder given, from scratch: the compiled sources, and the files that they read at run time. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [source, target] = [join(root, 'src'), resolve(process.argv[2] ?? join(root, 'dist'))];
const command = join(target, 'cli', 'main.js');

rmSync(target, { recursive: true, force: true });
const compile = ['-p', join(root, 'tsconfig.build.json'), '--outDir', target];
execFileSync(join(root, 'node_modules', '.bin', 'tsc'), compile, { stdio: 'inherit' });
cpSync(source, target, { recursive: true, filter: isReadAtRunTime });
if (!existsSync(command)) throw new Error('the build has no command: src/cli/main.ts is missing');

/** Every file that the compiler does not compile, such as Lua. */
function isReadAtRunTime(path: string): boolean {
  return !basename(path).endsWith('.ts');
}
