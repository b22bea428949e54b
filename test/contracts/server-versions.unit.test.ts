import { describe, expect, it } from 'vitest';
import { isSupported, otherProductOf } from '../../src/contracts/server-versions.ts';
import { versionVerdict } from '../../src/doctor/mysql-server-checks.ts';

describe('the oldest servers', () => {
  it.each([
    ['MySQL', '8.0.0', false],
    ['MySQL', '8.0.18-log', false],
    ['MySQL', '8.0.19', true],
    ['MySQL', '9.7.0', true],
    ['MariaDB', '10.5.29-MariaDB', false],
    ['MariaDB', '10.6.0-MariaDB-1:10.6.0+maria~deb11', true],
    ['Redis', '6.2.14', false],
    ['Redis', '7.0.0', true],
    ['Redis', '10.0.1', true],
  ] as const)('%s %s: supported %s', (product, version, expected) => {
    expect(isSupported(product, version)).toBe(expected);
    if (product !== 'Redis') expect(versionVerdict(version).state).toBe(expected ? 'fine' : 'problem');
  });

  it.each([
    ['8.0.40-Vitess', 'Vitess'],
    ['8.4.6-vitess-22.0.1', 'Vitess'],
    ['8.0.11-TiDB-v8.5.0', 'TiDB'],
    ['5.7.25-OceanBase_CE-v4.3', 'OceanBase'],
  ])('%s is no MySQL, whatever its number says', (version, product) => {
    expect(otherProductOf(version)).toBe(product);
    expect(versionVerdict(version)).toMatchObject({ state: 'problem', detail: `${product} ${version}` });
  });

  it.each(['8.0.36-28', '10.11.6-MariaDB-1', '8.4.3-google', '9.7.0'])('%s is one of the two', (version) => {
    expect(otherProductOf(version)).toBeUndefined();
  });

  it('doctor names the version that is needed', () => {
    expect(versionVerdict('8.0.18')).toMatchObject({
      state: 'problem',
      mend: 'Recency needs MySQL 8.0.19 at least: upgrade it.',
    });
  });
});
