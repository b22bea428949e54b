import { describe, expect, it } from 'vitest';
import { isSupported } from '../../src/contracts/server-versions.ts';
import { versionVerdict } from '../../src/doctor/mysql-checks.ts';

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

  it('doctor names the version that is needed', () => {
    expect(versionVerdict('8.0.18')).toMatchObject({
      state: 'problem',
      mend: 'Recency needs MySQL 8.0.19 at least: upgrade it.',
    });
  });
});
