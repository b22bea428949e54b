import { probeRedis } from '../probe/redis.ts';
import type { Place, ProgramRecipe } from './program.ts';

/** Nothing is written to disk unless more arguments ask for it. */
export const REDIS_ARGUMENTS = ['--save', '', '--appendonly', 'no'] as const;

export function redisProgram(program: string): ProgramRecipe {
  const url = ({ port }: Place) => `redis://127.0.0.1:${port}`;
  return {
    program,
    prepare: async () => undefined,
    args: ({ dir, port, kept = dir }) => [
      '--bind',
      '127.0.0.1',
      '--port',
      `${port}`,
      '--dir',
      kept,
      ...REDIS_ARGUMENTS,
    ],
    url,
    probe: (place) => probeRedis(url(place)),
    owns: (probe, _place, pid) => probe.identity === `${pid}`,
  };
}
