/** The image of the Dockerfile, built with the program `docker`. */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findProgram } from '../../src/tools/devservers/launch/machine.ts';
import { mysql } from '../../src/tools/devservers/launch/mysql.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** Runs `docker`. @returns what it said on stdout @throws with what it said, when it failed */
export async function docker(...args: string[]): Promise<string> {
  const { stdout } = await run('docker', args, { maxBuffer: 64 * 1024 * 1024 });
  return stdout.trim();
}

/** What the process of a container has said. */
export async function logsOf(container: string): Promise<string> {
  const { stdout, stderr } = await run('docker', ['logs', container]);
  return `${stdout}${stderr}`;
}

/**
 * Builds the image from the files that .dockerignore lets through.
 * @returns the image on which it is based
 */
export async function buildImage(name: string): Promise<string> {
  const [build, runtime] = await baseImages();
  const args = ['--build-arg', `BASE=${build}`, '--build-arg', `RUNTIME=${runtime}`];
  // Of the machine's own network, because a daemon may have none for containers.
  await docker('build', '--network', 'host', ...args, '--tag', name, root);
  return runtime;
}

/** Those of the Dockerfile; where they cannot be pulled, images made of the same parts. */
async function baseImages(): Promise<readonly [build: string, runtime: string]> {
  const text = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const named = (argument: string) => String(new RegExp(`^ARG ${argument}=(\\S+)$`, 'm').exec(text)?.[1]);
  const images = [named('BASE'), named('RUNTIME')] as const;
  const pulled = await Promise.allSettled(images.map((image) => docker('pull', '--quiet', image)));
  return pulled.every(({ status }) => status === 'fulfilled') ? images : await makeBases();
}

/** On a test server's image, which is Debian's then: this Node and npm; and the libraries of C and C++ alone. */
const BASES = (registry: string) => `
FROM ${mysql.image?.name} AS base
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/npm
COPY authorities.pem /etc/authorities.pem
RUN ln -s ../lib/npm/bin/npm-cli.js /usr/local/bin/npm
ENV NODE_EXTRA_CA_CERTS=/etc/authorities.pem npm_config_registry=${registry}
ENTRYPOINT []

FROM base AS libraries
RUN mkdir /needed && (ldd /usr/local/bin/node | grep -o '/[^ ]*'; dpkg -L libc6 | grep -E '\\.so(\\.[0-9]+)*$') | sort -u | xargs cp -L --parents -t /needed

FROM scratch AS runtime
COPY --from=libraries /needed/ /
`;

async function makeBases(): Promise<readonly [build: string, runtime: string]> {
  const context = mkdtempSync(join(tmpdir(), 'recency-bases-'));
  try {
    const npm = findProgram('npm');
    if (npm === undefined) throw new Error('npm is not on the path');
    cpSync(process.execPath, join(context, 'node'));
    cpSync(dirname(dirname(realpathSync(npm))), join(context, 'npm'), { recursive: true });
    cpSync(process.env.NODE_EXTRA_CA_CERTS ?? '/etc/ssl/certs/ca-certificates.crt', join(context, 'authorities.pem'));
    const { stdout: registry } = await run(npm, ['config', 'get', 'registry']);
    const file = join(context, 'Dockerfile');
    writeFileSync(file, BASES(registry.trim()));
    const targets = ['base', 'runtime'].map((target) => [target, `recency-test-${target}`] as const);
    for (const [target, name] of targets) await docker('build', '--target', target, '--tag', name, context);
    return ['recency-test-base', 'recency-test-runtime'];
  } finally {
    rmSync(context, { recursive: true, force: true });
  }
}
