import type { Pool } from 'mysql2/promise';
import type { Id } from '../../../contracts/id.ts';
import type { Database } from '../../../mysql/database.ts';
import { readDenormalised } from '../../denormalised/recent.ts';
import { DenormalisedUpdater } from '../../denormalised/updater.ts';
import type { Acknowledger, FanOutVariant, Upload } from './variant.ts';

interface DenormalisedVariantOptions {
  readonly pool: Pool;
  readonly database: Pick<Database, 'rows'>;
  /** Contacts that the others' indexes hold at most. */
  readonly max: number;
  readonly acknowledger: Acknowledger;
}

/** The updater of the denormalised table, as its process runs it. */
export class DenormalisedVariant implements FanOutVariant {
  readonly name = 'denormalised';
  /** There is nothing in Redis, and no task is trusted. */
  readonly parts = ['total'] as const;
  readonly #options: DenormalisedVariantOptions;
  readonly #updater: DenormalisedUpdater;

  constructor(options: DenormalisedVariantOptions) {
    this.#options = options;
    this.#updater = new DenormalisedUpdater(options.pool);
  }

  async prepare(): Promise<void> {
    await this.#options.acknowledger.deliver();
  }

  async fanOut({ owner }: Upload): Promise<void> {
    await this.#updater.work({ hints: [], owners: [owner], dropped: [], forgotten: [] });
    await this.#options.acknowledger.acknowledge();
  }

  async tidy(): Promise<void> {}

  async members(user: Id): Promise<Id[]> {
    const { database, max } = this.#options;
    const { contacts } = await readDenormalised(database, user, max);
    return contacts.map(({ id }) => id);
  }
}
