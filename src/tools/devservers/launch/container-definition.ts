import { mkdirSync } from 'node:fs';
import process from 'node:process';
import type { GenericContainer } from 'testcontainers';
import type { LaunchOrder } from '../server.ts';
import type { Docker } from './docker.ts';
import { IMAGES } from './images.ts';

/** Names the run that a container belongs to. */
export const RUN_LABEL = 'recency.stack';

export interface Outside {
  /** Where clients reach the container. */
  readonly host: string;
  readonly port: number;
  /** The folder of the run that the container belongs to, kept as its label. */
  readonly run: string;
  /** Called before the container starts, so that no started one is unknown to its owner. */
  readonly onCreated: (id: string) => void;
}

/** The container for an order. On a daemon of this machine its port is bound to loopback alone. */
export function defineContainer(
  library: Docker['testcontainers'],
  order: LaunchOrder,
  outside: Outside,
): GenericContainer {
  const recipe = IMAGES[order.name];
  const inside = recipe.port(outside.port);
  const binding = { HostPort: `${outside.port}`, ...(outside.host === '127.0.0.1' ? { HostIp: outside.host } : {}) };

  class LoopbackContainer extends library.GenericContainer {
    protected override async beforeContainerCreated(): Promise<void> {
      this.hostConfig.PortBindings = { [`${inside}/tcp`]: [binding] };
    }
    protected override async containerCreated(id: string): Promise<void> {
      outside.onCreated(id);
    }
  }

  const container = new LoopbackContainer(recipe.image)
    .withExposedPorts({ container: inside, host: outside.port })
    .withEnvironment(recipe.environment(outside.host, outside.port))
    .withCommand([...recipe.command(order)])
    .withLabels({ [RUN_LABEL]: outside.run })
    // The owner of the servers removes it, so testcontainers' own reaper, one more image, is not needed.
    .withAutoCleanup(false)
    // Any output will do: whether the server answers is asked of the server itself.
    .withWaitStrategy(library.Wait.forLogMessage(/./));
  return order.dir === undefined ? container : withDirectory(container, order.dir);
}

/** Runs as the person who owns the directory, so that the files in it stay removable. */
function withDirectory(container: GenericContainer, dir: string): GenericContainer {
  mkdirSync(dir, { recursive: true });
  const mounted = container.withBindMounts([{ source: dir, target: '/data' }]);
  return process.getuid && process.getgid ? mounted.withUser(`${process.getuid()}:${process.getgid()}`) : mounted;
}
