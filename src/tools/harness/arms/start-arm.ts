import type { Fleet } from '../processes/fleet.ts';
import type { ServiceProcess } from '../processes/service-process.ts';
import type { ServedArm } from './served-arm.ts';

export interface StartedArm {
  readonly member: ServiceProcess;
  readonly url: string;
}

/** Serves an arm in a process of its own. @throws StartError when it does not start */
export async function startArm(fleet: Fleet, name: ServedArm): Promise<StartedArm> {
  const member = fleet.start({
    name,
    module: '../arms/main',
    args: [name],
    settings: { HOST: '127.0.0.1', PORT: '0' },
  });
  const listens = new Promise<string>((resolve) => {
    member.onMessage((message) => resolve((message as { url: string }).url));
  });
  return { member, url: await Promise.race([listens, member.failed]) };
}
