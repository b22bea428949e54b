import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isSecret, SETTING_NAMES } from '../../src/config/settings.ts';

const UNIT = readFileSync('deploy/systemd/recency@.service', 'utf8');
const DROP_IN = readFileSync('deploy/systemd/recency-serve.conf', 'utf8');

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

/** The values of a directive, in their order. */
function valuesOf(name: string): string[] {
  return [...UNIT.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => String(value));
}

describe('the units for systemd', () => {
  it.runIf(hasSystemd)('are understood by systemd-analyze verify', () => {
    const folder = mkdtempSync(join(tmpdir(), 'recency-units-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const unit = join(folder, 'recency@serve.service');
    writeFileSync(unit, UNIT);
    // It looks at other units of the machine as well; a line about ours names it.
    const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], {
      encoding: 'utf8',
      env: process.env,
    });
    expect(`${stdout}${stderr}`.split('\n').filter((line) => line.includes('recency@'))).toEqual([]);
  });

  it('give a process no more than it needs', () => {
    const strict = {
      DynamicUser: 'yes',
      NoNewPrivileges: 'yes',
      ProtectSystem: 'strict',
      ProtectHome: 'yes',
      CapabilityBoundingSet: '',
    };
    for (const [name, value] of Object.entries(strict)) expect([name, ...valuesOf(name)]).toEqual([name, value]);
  });

  it('wait longer for the end than a consumer takes that hangs', () => {
    expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThan(25);
  });

  it('set only settings that there are, and secrets by their files, from the credentials', () => {
    const set = [...`${UNIT}\n${DROP_IN}`.matchAll(/RECENCY_(\w+)=(\S+)/g)].map(([, name = '', value]) => ({
      name,
      value,
    }));
    expect(set.map(({ name }) => name).sort()).toEqual(['MYSQL_URL_FILE', 'REDIS_URL_FILE', 'TOKENS_FILE']);
    for (const { name, value } of set) {
      const setting = name.replace(/_FILE$/, '');
      expect(SETTING_NAMES.some((one) => one === setting && isSecret(one))).toBe(true);
      expect(value).toBe(`%d/secrets_${setting}`);
    }
  });
});
