import pino from 'pino';
import { migrate } from '../../mysql/migrate.ts';
import { type Place, placeOn, type Transport } from '../harness/place.ts';
import { Fleet } from '../harness/processes/fleet.ts';
import { ProcessLogs } from '../harness/processes/process-logs.ts';
import { removeTraces } from '../harness/remove-traces.ts';
import { type Servers, startServers } from '../harness/servers.ts';
import { openRigStores, type RigStores } from '../harness/stores.ts';

/** What a benchmark works on: servers, a place of its own on them, and processes. */
export interface Ground {
  readonly servers: Servers;
  /** Whether missing server programs may be installed. */
  readonly install: boolean;
  readonly place: Place;
  readonly stores: RigStores;
  readonly fleet: Fleet;
  readonly logs: ProcessLogs;
  readonly resources: AsyncDisposableStack;
  readonly signal: AbortSignal;
  /** One line for the person who waits. */
  readonly tell: (text: string) => void;
}

export interface GroundOptions {
  readonly transport: Transport;
  readonly install: boolean;
  /** Those of another ground; undefined: of the environment, or started. */
  readonly servers?: Servers;
  /** Other settings than the defaults. */
  readonly settings?: Place['settings'];
  readonly resources: AsyncDisposableStack;
  readonly signal: AbortSignal;
  readonly tell: (text: string) => void;
}

/** What is measured, whatever the environment says. */
const SETTINGS = { MAX: '24', MIN: '12' };

/** Everything is gone again when the resources are disposed of. @throws StartError naming each part that cannot be had */
export async function openGround(options: GroundOptions): Promise<Ground> {
  const { transport, install, resources, signal, tell } = options;
  const servers = options.servers ?? (await startServers({ transport, install }));
  if (options.servers === undefined) resources.defer(() => servers.stack.stop());
  const place = placeOn(servers.stack, { purpose: 'bench', transport, settings: { ...SETTINGS, ...options.settings } });
  resources.defer(() => removeTraces(servers, place));
  await migrate({ url: place.config.mysqlUrl });
  const stores = await openRigStores(place, { logger: pino({ level: 'silent' }), resources, signal });
  const logs = new ProcessLogs('bench');
  resources.defer(() => logs.remove());
  const fleet = new Fleet(place, logs);
  resources.defer(() => fleet.stopAll());
  return { servers, install, place, stores, fleet, logs, resources, signal, tell };
}
