import { BatchLost } from '../../src/transport/task-source.ts';
import { open, type Place, type Wanted } from './place.ts';

/**
 * A consumer in a separate process, to be killed or stopped by signals.
 * argv: the place, the options of the source, and the behaviour of the handler.
 * Reports to its parent what it received, what it handled, and whether a batch was lost.
 */

export type Behaviour = 'take' | 'reject' | 'hang' | 'keep-alive-when-told';

export type Told =
  | { readonly kind: 'received' | 'handled'; readonly ids: string[]; readonly positions: string[] }
  | { readonly kind: 'lost' | 'kept' }
  | { readonly kind: 'failed'; readonly why: string };

const [place, wanted, first] = process.argv.slice(2).map((text) => JSON.parse(text)) as [Place, Wanted, Behaviour];
/** Time to tell the parent everything, ms. */
const ENDED_MS = 2_000;

let behaviour = first;
let wake = () => {};

const tell = (told: Told) => process.send?.(told);
process.on('message', (message: Behaviour | 'stop') => {
  if (message === 'stop') void stop();
  else behaviour = message;
  wake();
});

// Messages may arrive while it is being opened.
const opening = open(place).then((opened) => ({ opened, source: opened.source(wanted) }));

async function stop(): Promise<void> {
  const { opened, source } = await opening;
  await source.stop();
  await opened.close();
  process.disconnect();
  // As the product's processes, which do not wait for a connection that kafkajs is still opening.
  setTimeout(() => process.exit(), ENDED_MS).unref();
}

await (await opening).source.run(
  async ({ deliveries, lease }) => {
    const ids = deliveries.map(({ headers }) => String(headers.ce_id));
    const positions = deliveries.map(({ position }) => position);
    tell({ kind: 'received', ids, positions });
    if (behaviour === 'reject') throw new Error('rejected');
    if (behaviour !== 'take') await new Promise<void>((resolve) => (wake = resolve));
    try {
      await lease.renew();
    } catch (error) {
      tell(error instanceof BatchLost ? { kind: 'lost' } : { kind: 'failed', why: String(error) });
      throw error;
    }
    tell({ kind: 'kept' });
    tell({ kind: 'handled', ids, positions });
  },
  async () => undefined,
);
