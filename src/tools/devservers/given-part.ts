import { type Environment, endpointOf, givenAddress, SETTING } from './given.ts';
import { probeByName } from './probe/by-name.ts';
import type { Probe } from './probe/probe.ts';
import type { Part, ServerName } from './server.ts';
import { requireSupported } from './versions.ts';

/** Looks at the server whose address the environment gives. Throws when it does not answer or is too old. */
export async function givenPart(name: ServerName, environment: Environment): Promise<Part> {
  const url = givenAddress(name, environment);
  if (url === undefined) throw new Error(`${SETTING[name]} is not set`);
  const { product, version } = await answerOf(name, url);
  requireSupported(product, version, SETTING[name]);
  return { name, product, version, origin: 'given', source: SETTING[name], url };
}

const REFUSED = /Access denied|WRONGPASS|NOAUTH|NOPERM/;

async function answerOf(name: ServerName, url: string): Promise<Probe> {
  try {
    return await probeByName[name](url);
  } catch (error) {
    const { host, port } = endpointOf(name, url);
    const reason = error instanceof Error ? error.message || error.name : String(error);
    const [what, mend] = REFUSED.test(reason)
      ? [`the server at ${host}:${port} refuses this user`, 'mend its user or password']
      : [`no server answers at ${host}:${port}`, 'start it'];
    const message = `${SETTING[name]}: ${what} (${reason}): ${mend}, or unset ${SETTING[name]} to have one started`;
    throw new Error(message, { cause: error });
  }
}
