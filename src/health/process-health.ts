import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { readinessUrl } from '../config/readiness-url.ts';
import { messageOf } from './finding.ts';

/** What a health check found. */
interface ProcessHealth {
  readonly isHealthy: boolean;
  /** For people, one line. */
  readonly text: string;
}

/**
 * Asks a process whether it is ready. It never throws: whatever prevents an answer is what is wrong.
 * @param limitMs time limit of the answer
 * @param commandLine of the process, and `environment` as `readinessUrl` takes them
 */
export async function processHealth(
  limitMs: number,
  commandLine: readonly string[],
  environment?: Readonly<Record<string, string | undefined>>,
): Promise<ProcessHealth> {
  try {
    const url = readinessUrl(commandLine, environment);
    return url === undefined ? { isHealthy: true, text: 'it has nothing to ask' } : await ask(url, limitMs);
  } catch (error) {
    return { isHealthy: false, text: oneLine(messageOf(error)) };
  }
}

async function ask(url: URL, limitMs: number): Promise<ProcessHealth> {
  const signal = AbortSignal.timeout(limitMs);
  try {
    const { status, body } = await askInDetail(url, signal);
    return { isHealthy: status === 200, text: readinessIn(body) ?? `${url} answers ${status}: ${oneLine(body)}` };
  } catch (error) {
    const why = signal.aborted ? `not within ${limitMs} ms` : oneLine(messageOf(error));
    return { isHealthy: false, text: `${url} does not answer: ${why}` };
  }
}

/** The reasons only where it is not ready: with them come reports, which may take longer, and decide nothing. */
async function askInDetail(url: URL, signal: AbortSignal) {
  const brief = await fetchFrom(String(url), signal);
  return brief.status === 200 ? brief : await fetchFrom(`${url}?verbose`, signal);
}

/** Unlike `fetch`, it refuses no port, and costs little at a start. */
async function fetchFrom(url: string, signal: AbortSignal) {
  const request = get(url, { signal, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  request.on('error', () => undefined); // the response tells as well that it was cut off
  return { status: response.statusCode, body: await textOf(response) };
}

/** `unready: mysql (ConnectionLost)`. @returns undefined: it is not what /readyz says */
function readinessIn(body: string): string | undefined {
  try {
    const { status, failing, checks } = JSON.parse(body);
    const faults = failing.map((name: string) => {
      const detail = checks?.[name]?.detail;
      return detail === undefined ? name : `${name} (${detail})`;
    });
    return oneLine(faults.length === 0 ? status : `${status}: ${faults.join(', ')}`);
  } catch {
    return undefined; // another program has the port, or too many have asked
  }
}

const LONGEST = 500;

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST);
}
