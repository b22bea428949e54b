import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { ScriptSandbox } from '../support/script-sandbox.ts';

const LOCK = {
  packages: {
    '': {},
    'node_modules/left': { version: '1.0.0' },
    'node_modules/alias': { name: '@real/name', version: '2.0.0' },
    'node_modules/left/node_modules/right': { version: '3.0.0' },
    'node_modules/own': { link: true, resolved: 'packages/own' },
  },
};

const report = (vulnerabilities: object) => `echo '${JSON.stringify({ vulnerabilities })}'`;

/** What npm says where the registry has no such address. */
const REFUSED = `echo '{"message":"405 Method Not Allowed"}'; exit 1`;

/** The audit with an npm that behaves like this, and OSV at this address. */
async function audit(npm: string, osv = 'http://127.0.0.1:1') {
  const sandbox = new ScriptSandbox('audit.mjs', npm);
  sandbox.write('package-lock.json', JSON.stringify(LOCK));
  const child = spawn(process.execPath, [sandbox.script], { env: { ...sandbox.environment, OSV_URL: osv } });
  const ended = once(child, 'close');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await ended;
  return { code, stdout, stderr };
}

/** A server in OSV's place. @param vulnerable the packages that it knows something about */
async function osv(vulnerable: Readonly<Record<string, string>>, status = 200) {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const { queries } = JSON.parse(await text(request));
    asked.push(
      ...queries.map(
        (query: { package: { name: string }; version: string }) => `${query.package.name}@${query.version}`,
      ),
    );
    const results = queries.map((query: { package: { name: string } }) => {
      const id = vulnerable[query.package.name];
      return id === undefined ? {} : { vulns: [{ id }] };
    });
    response.writeHead(status).end(JSON.stringify({ results }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

it('is what npm audit says, where the registry answers', async () => {
  expect(await audit(report({}))).toEqual({ code: 0, stdout: 'npm audit: no known vulnerability\n', stderr: '' });
  const { code, stdout } = await audit(report({ left: { name: 'left', severity: 'low', range: '<2' } }));
  expect({ code, stdout }).toEqual({ code: 1, stdout: 'low: left <2\nnpm audit: 1 known vulnerabilities\n' });
});

it('is what OSV knows about every locked package otherwise', async () => {
  const clean = await osv({});
  expect(await audit(REFUSED, clean.url)).toMatchObject({ code: 0, stdout: 'OSV: no known vulnerability\n' });
  expect(clean.asked.sort()).toEqual(['@real/name@2.0.0', 'left@1.0.0', 'right@3.0.0']);
  const known = await osv({ '@real/name': 'GHSA-1' });
  expect(await audit(REFUSED, known.url)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('GHSA-1: @real/name 2.0.0\n'),
  });
});

it('says that nothing was checked where nobody can be asked', async () => {
  const broken = await osv({}, 500);
  for (const url of ['http://127.0.0.1:1', broken.url]) {
    const { code, stdout, stderr } = await audit(REFUSED, url);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('npm audit: 405 Method Not Allowed');
    expect(stderr).toMatch(/^OSV \(http:.*\) (did not answer|answered with status 500)/m);
    expect(stderr).toContain('NOT CHECKED');
  }
});
