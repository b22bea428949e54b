import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ScriptSandbox } from '../support/script-sandbox.ts';

const LOCK = {
  packages: {
    '': {},
    'node_modules/node': { version: '24.9.9' },
    'node_modules/left': { version: '1.0.0' },
    'node_modules/other-platform': { version: '1.0.0', optional: true },
  },
};

/** What npm notes where the other platform's package was left out. */
const { '': _root, 'node_modules/other-platform': _other, ...FITTING } = LOCK.packages;

const RUNTIME = '#!/bin/sh\necho v24.9.9\n';

/** Like the real one: `ci` brings the packages for this platform, and `rebuild` the runtime. */
const NPM = `case $1 in
  ci) mkdir -p node_modules/.bin node_modules/node node_modules/left; cp noted.json node_modules/.package-lock.json ;;
  rebuild) printf '#!/bin/sh\\necho v24.9.9\\n' > node_modules/.bin/node; chmod +x node_modules/.bin/node ;;
esac`;

function project(npm = NPM): ScriptSandbox {
  const sandbox = new ScriptSandbox('install.mjs', npm);
  sandbox.write('package-lock.json', JSON.stringify(LOCK));
  sandbox.write('noted.json', JSON.stringify({ packages: FITTING }));
  return sandbox;
}

function installed(packages: object): ScriptSandbox {
  const sandbox = project();
  for (const folder of ['node', 'left']) sandbox.write(`node_modules/${folder}/package.json`, '{}');
  sandbox.write('node_modules/.bin/node', RUNTIME);
  sandbox.write('node_modules/.package-lock.json', JSON.stringify({ packages }));
  return sandbox;
}

describe('installing the dependencies', () => {
  it('brings them and the runtime once, and says so on stderr alone', () => {
    const sandbox = project();
    expect(sandbox.run()).toEqual(
      expect.objectContaining({ status: 0, stdout: '', stderr: 'Installing the dependencies (once) …\n' }),
    );
    expect(sandbox.npmCalls()).toEqual([
      expect.stringMatching(/^ci --ignore-scripts /),
      'rebuild --ignore-scripts=false node',
    ]);
    expect(sandbox.run()).toEqual(expect.objectContaining({ status: 0, stderr: '' }));
    expect(sandbox.npmCalls()).toHaveLength(2);
  });

  it('leaves a tree alone that fits, also without the packages of other platforms', () => {
    const sandbox = installed(FITTING);
    expect(sandbox.run().status).toBe(0);
    expect(sandbox.npmCalls()).toEqual([]);
  });

  it.each([
    ['a package of another version', { ...FITTING, 'node_modules/left': { version: '0.9.0' } }],
    ['a missing package', { 'node_modules/node': { version: '24.9.9' } }],
    ['a package that is only noted', { ...FITTING, 'node_modules/other-platform': { version: '1.0.0' } }],
  ])('is done again for %s', (_what, packages) => {
    const sandbox = installed(packages);
    sandbox.run();
    expect(sandbox.npmCalls()[0]).toMatch(/^ci /);
  });

  it('brings the runtime alone where only that is missing', () => {
    const sandbox = installed(FITTING);
    sandbox.write('node_modules/.bin/node', '#!/bin/sh\necho v20.0.0\n');
    expect(sandbox.run().status).toBe(0);
    expect(sandbox.npmCalls()).toEqual(['rebuild --ignore-scripts=false node']);
  });

  it('fails with what npm printed', () => {
    const { status, stderr } = project('echo "no network" >&2; exit 7').run();
    expect(status).toBe(1);
    expect(stderr).toContain('npm ci failed:\nno network');
  });

  it('fails when the runtime did not come', () => {
    const { status, stderr } = project(NPM.replace('chmod +x', 'chmod -x')).run();
    expect(status).toBe(1);
    expect(stderr).toContain('Node 24.9.9 did not come with the dependencies');
  });
});

describe('npm ci by hand', () => {
  it('does not warn of packages that want a newer Node, which comes with them', () => {
    expect(readFileSync(new URL('../../.npmrc', import.meta.url), 'utf8')).toMatch(/^loglevel=error$/m);
  });
});
