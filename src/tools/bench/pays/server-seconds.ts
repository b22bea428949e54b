import { readFile } from 'node:fs/promises';
import { findDocker } from '../../devservers/launch/container.ts';
import type { LaunchedServer } from '../../devservers/server.ts';
import type { Ground } from '../bench.ts';

/** Of /proc/PID/stat: user and system time in ticks, after the name, which may hold spaces. */
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;

/** The kernel's USER_HZ. */
const TICKS_A_SECOND = 100;

/** Processor time of MySQL and Redis so far, s. Redis tells its own; MySQL's is its process's, or its container's. */
export async function serverSeconds({ servers, stores }: Pick<Ground, 'servers' | 'stores'>): Promise<number> {
  const info = String(await stores.redis.info('cpu'));
  const redis = ['user', 'sys'].reduce(
    (sum, kind) => sum + Number(new RegExp(`used_cpu_${kind}:([\\d.]+)`).exec(info)?.[1]),
    0,
  );
  const { pid, container } = startedMysql({ servers });
  if (pid !== undefined) return redis + (await processSeconds(pid));
  return container === undefined ? redis : redis + (await containerSeconds(container));
}

/** A MySQL server that was there before is not seen from here. */
export function isMysqlCounted(ground: Pick<Ground, 'servers'>): boolean {
  return Object.keys(startedMysql(ground)).length > 0;
}

function startedMysql({ servers }: Pick<Ground, 'servers'>): Pick<LaunchedServer, 'pid' | 'container'> {
  const mysql = servers.stack.parts.find(({ name }) => name === 'mysql');
  if (mysql === undefined || !('port' in mysql)) return {};
  const { pid, container } = mysql;
  return { ...(pid === undefined ? {} : { pid }), ...(container === undefined ? {} : { container }) };
}

async function processSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS])) / TICKS_A_SECOND;
}

async function containerSeconds(id: string): Promise<number> {
  const docker = await findDocker();
  if (typeof docker === 'string') throw new Error(docker);
  const stats = await docker.client.container.getById(id).stats({ stream: false, 'one-shot': true });
  return stats.cpu_stats.cpu_usage.total_usage / 1e9;
}
