import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, it, onTestFinished } from 'vitest';
import { compareVersions } from '../../../src/contracts/server-versions.ts';
import { forcedOrigin, givenAddress, mayInstall } from '../../../src/tools/devservers/given.ts';
import { kafkaEnvironment } from '../../../src/tools/devservers/launch/kafka.ts';
import { findProgram, withoutServices } from '../../../src/tools/devservers/launch/machine.ts';
import { endpointOf, requireSupported, untilReady } from '../../../src/tools/devservers/probe.ts';

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'recency-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('versions', () => {
  it.each([
    ['Redis', '6.2.14', '7.0'],
    ['MariaDB', '10.5.29', '10.6'],
    ['MySQL', '8.0.18', '8.0.19'],
  ])('refuses %s %s', (product, version, minimum) => {
    expect(() => requireSupported(product, version, 'here')).toThrow(
      `${product} ${version} (here) is too old: Recency needs ${product} ${minimum} or newer`,
    );
  });

  it.each([
    ['Redis', '7.0.0'],
    ['MariaDB', '10.11.4'],
    ['MySQL', '9.0.1'],
    ['Kafka', ''],
  ])('accepts %s %s', (product, version) => {
    expect(() => requireSupported(product, version, 'here')).not.toThrow();
  });

  const numbers = fc.array(fc.nat(99), { minLength: 1, maxLength: 4 });
  property.prop([numbers, numbers])('compare as lists of numbers', (left, right) => {
    const width = Math.max(left.length, right.length);
    const padded = (version: number[]) => [...version, ...Array(width - version.length).fill(0)];
    const expected =
      padded(left)
        .map((part, i) => part - padded(right)[i])
        .find((difference) => difference !== 0) ?? 0;
    expect(Math.sign(compareVersions(left.join('.'), right.join('.')))).toBe(Math.sign(expected));
  });
});

describe('addresses in the environment', () => {
  it('come from the setting, from its file, or are not there', () => {
    const file = join(freshFolder(), 'url');
    writeFileSync(file, ' redis://:secret@r:1 \n');
    expect(givenAddress('mysql', { RECENCY_MYSQL_URL: 'mysql://m' })).toBe('mysql://m');
    expect(givenAddress('redis', { RECENCY_REDIS_URL_FILE: file })).toBe('redis://:secret@r:1');
    expect(givenAddress('kafka', { RECENCY_KAFKA_BROKERS: '' })).toBeUndefined();
  });

  it('name the first place, with the standard port when they name none', () => {
    expect(endpointOf('redis', 'redis://a:7000,redis://b:7001')).toEqual({ host: 'a', port: 7000 });
    expect(endpointOf('mysql', 'mysql://root:secret@db/site')).toEqual({ host: 'db', port: 3306 });
    expect(endpointOf('kafka', 'k1, k2:9093')).toEqual({ host: 'k1', port: 9092 });
  });

  it('may force one origin', () => {
    expect(forcedOrigin({})).toBeUndefined();
    expect(forcedOrigin({ STACK_FROM: 'programs' })).toBe('programs');
    expect(() => forcedOrigin({ STACK_FROM: 'docker' })).toThrow('STACK_FROM is "docker"');
  });

  it('may allow to install programs, and do not by default', () => {
    expect([{}, { STACK_INSTALL: '' }, { STACK_INSTALL: 'true' }].map(mayInstall)).toEqual([false, false, true]);
  });
});

describe('waiting for a server', () => {
  const answer = { product: 'Redis', version: '7.0', identity: '1' };

  it('goes on past errors and past other servers', async () => {
    const answers = [new Error('not yet'), { ...answer, identity: '2' }, answer];
    const probe = async () => {
      const next = answers.shift();
      if (next === undefined || next instanceof Error) throw next;
      return next;
    };
    const accept = ({ identity }: { identity: string }) => identity === '1';
    expect(await untilReady({ probe, accept, check: () => undefined, timeout: 5_000 })).toEqual(answer);
  });

  it('ends with the last reason', async () => {
    const probe = () => Promise.reject(new Error('refused'));
    await expect(untilReady({ probe, check: () => undefined, timeout: 1 })).rejects.toThrow('within 0.001 s: refused');
  });

  it('ends at once when the server has ended', async () => {
    const check = () => {
      throw new Error('it ended');
    };
    await expect(untilReady({ probe: async () => answer, check, timeout: 5_000 })).rejects.toThrow('it ended');
  });
});

describe('installing packages', () => {
  const policy = () => join(freshFolder(), 'policy-rc.d');

  it('forbids services meanwhile, and only meanwhile', async () => {
    const file = policy();
    const work = async () => {
      expect(readFileSync(file, 'utf8')).toContain('exit 101');
      expect(statSync(file).mode & 0o111).toBe(0o111);
      throw new Error('apt failed');
    };
    await expect(withoutServices(work, file)).rejects.toThrow('apt failed');
    expect(existsSync(file)).toBe(false);
  });

  it("leaves the machine's own policy alone", async () => {
    const file = policy();
    writeFileSync(file, 'mine');
    await withoutServices(async () => expect(readFileSync(file, 'utf8')).toBe('mine'), file);
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });
});

describe('programs and settings of servers', () => {
  it('finds the first program that is there', () => {
    expect(findProgram('no-such-program', 'sh')).toMatch(/\/sh$/);
    expect(findProgram('no-such-program')).toBeUndefined();
  });

  it('writes Kafka’s settings as its image takes them', () => {
    expect(kafkaEnvironment({ 'node.id': '1' })).toEqual({ KAFKA_NODE_ID: '1' });
  });
});
