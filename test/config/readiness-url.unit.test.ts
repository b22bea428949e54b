import { describe, expect, it } from 'vitest';
import { readinessUrl } from '../../src/config/readiness-url.ts';

const NODE = ['/usr/local/bin/node', '/usr/local/bin/recency'];

describe('where a process says whether it is ready', () => {
  it.each([
    ['serve', {}, 'http://127.0.0.1:8470/readyz'],
    ['serve', { RECENCY_HOST: '0.0.0.0', RECENCY_PORT: '80' }, 'http://127.0.0.1/readyz'],
    ['serve', { RECENCY_HOST: '::', RECENCY_METRICS_PORT: '9000' }, 'http://[::1]:8470/readyz'],
    ['serve', { RECENCY_HOST: '10.0.0.7' }, 'http://10.0.0.7:8470/readyz'],
    ['consume', { RECENCY_HOST: '0.0.0.0', RECENCY_PORT: '80' }, 'http://127.0.0.1:8471/readyz'],
    ['relay', { RECENCY_HOST: '10.0.0.7', RECENCY_METRICS_PORT: '9000' }, 'http://10.0.0.7:9000/readyz'],
    ['notify', { RECENCY_HOST: '10.0.0.7', RECENCY_METRICS_PORT: '' }, 'http://127.0.0.1:8473/readyz'],
    ['capture', {}, 'http://127.0.0.1:8474/readyz'],
    ['capture', { RECENCY_METRICS_PORT: '0' }, undefined],
    ['migrate', { RECENCY_PORT: '80' }, undefined],
  ])('%s with %j: %s', (command, environment, url) => {
    expect(readinessUrl([...NODE, command, ''], environment)?.href).toBe(url);
    expect(readinessUrl(['/sbin/docker-init', '--', 'recency', command, '--json'], environment)?.href).toBe(url);
  });

  it('cannot be known where the port is any free one, or none', () => {
    expect(() => readinessUrl([...NODE, 'serve'], { RECENCY_PORT: '0' })).toThrow('RECENCY_PORT is 0');
    expect(() => readinessUrl([...NODE, 'serve'], { RECENCY_PORT: '80a' })).toThrow('127.0.0.1:80a is no address');
  });
});
