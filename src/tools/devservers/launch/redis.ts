import { probeRedis } from '../probe.ts';
import type { ProgramRecipe, ProgramSite, ServerKind } from './kind.ts';
import { findProgram } from './machine.ts';

/** Writes nothing to disk unless more arguments request it. */
const ARGUMENTS = ['--save', '', '--appendonly', 'no'] as const;

export const redis: ServerKind = {
  product: 'Redis',
  howToGet:
    'start Docker, or install Redis 7.0+ (apt-get install redis-server; brew install redis), or set RECENCY_REDIS_URL',
  image: {
    name: 'redis:8',
    port: () => 6379,
    environment: () => ({}),
    command: ({ dir, args = [] }) => ['redis-server', ...(dir ? ['--dir', '/data'] : []), ...ARGUMENTS, ...args],
    url: (host, port) => `redis://${host}:${port}`,
    probe: probeRedis,
  },
  findProgram: async () => {
    const program = findProgram('redis-server');
    if (program === undefined) return { what: 'redis-server is not on the path', packages: ['redis-server'] };
    return recipeFor(program);
  },
};

function recipeFor(program: string): ProgramRecipe {
  const url = ({ port }: ProgramSite) => `redis://127.0.0.1:${port}`;
  return {
    program,
    prepare: async () => undefined,
    args: ({ dir, port, kept = dir }) => ['--bind', '127.0.0.1', '--port', `${port}`, '--dir', kept, ...ARGUMENTS],
    url,
    probe: (site) => probeRedis(url(site)),
    owns: (probe, _site, pid) => probe.identity === `${pid}`,
  };
}
