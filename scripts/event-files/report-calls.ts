/** Loaded first by a process whose calls are counted. To every message of its parent it answers with the calls since the last one. */
import { Session } from 'node:inspector/promises';
import process from 'node:process';

/** How often each function of the product was called, by file, name and place. */
export type Calls = Readonly<Record<string, number>>;

const PRODUCT = new URL('../../src/', import.meta.url).href;
const TOOLS = new URL('tools/', PRODUCT).href;

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

process.on('message', async () => process.send?.(await calls()));
process.channel?.unref();

async function calls(): Promise<Calls> {
  const { result } = await session.post('Profiler.takePreciseCoverage'); // which begins to count anew
  const own = result.filter(({ url }) => url.startsWith(PRODUCT) && !url.startsWith(TOOLS));
  return Object.fromEntries(
    own.flatMap(({ url, functions }) =>
      functions.flatMap(({ functionName, ranges: [range] }) => {
        const { startOffset = 0, count = 0 } = range ?? {};
        return count === 0 ? [] : [[`${url.slice(PRODUCT.length)} ${functionName} ${startOffset}`, count]];
      }),
    ),
  );
}
