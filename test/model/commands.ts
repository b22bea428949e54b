import fc, { type AsyncCommand } from 'fast-check';
import { CONTACTS, GROUPS } from '../../src/contracts/kind.ts';
import { RELATIONS } from '../../src/contracts/relation.ts';
import { readBoth } from './both.ts';
import { CAST } from './cast.ts';
import type { Mishap } from './mishaps.ts';
import { describeMove, member, move, relating } from './moves.ts';
import { comeToRest } from './rest.ts';
import type { Trial } from './trial.ts';

/** Empty: the site's journal is the model. */
type None = Readonly<Record<string, never>>;

/** An event in its own turn. */
class Happening implements AsyncCommand<None, Trial> {
  readonly #text: string;
  readonly #happen: (trial: Trial) => Promise<unknown> | unknown;

  constructor(text: string, happen: (trial: Trial) => Promise<unknown> | unknown) {
    this.#text = text;
    this.#happen = happen;
  }

  check(): boolean {
    return true;
  }

  async run(_model: None, trial: Trial): Promise<void> {
    await trial.turns.take(trial.director, this.#text, async () => {
      trial.throwFaults();
      await this.#happen(trial);
    });
  }

  toString(): string {
    return this.#text;
  }
}

type Happen = (trial: Trial) => Promise<unknown> | unknown;

const happening = (text: string, happen: Happen) => new Happening(text, happen);
const always = (text: string, happen: Happen) => fc.constant(null).map(() => happening(text, happen));

const nth = fc.nat(5);
const which = fc.constantFrom('z' as const, 'm' as const);
const pick = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const shown = (picks: readonly number[]) => picks.map((place) => place.toFixed(2)).join(' ');
/** One of the kinds. */
const side = fc.constantFrom<'contacts' | 'groups'>('contacts', 'contacts', 'groups');
const users = fc.subarray([...CAST], { minLength: 1 });

const moved = fc.tuple(move, fc.boolean()).map(([made, soon]) =>
  happening(`${describeMove(made)}${soon ? ', published at once' : ''}`, async (trial) => {
    await trial.act(made);
    if (soon) await trial.publish(false);
  }),
);

const early = relating.map((made) =>
  happening(`${describeMove(made)}, published before its commit`, (trial) => trial.actEarly(made)),
);
const committed = fc.nat(5).map((n) => happening(`early ${n} is committed`, (trial) => trial.commitEarly(n)));

const published = fc
  .constantFrom(false, false, false, false, true)
  .map((dies) => happening(dies ? 'publish, killed before it is marked' : 'publish', (trial) => trial.publish(dies)));

const delivered = fc
  .tuple(nth, fc.array(pick, { minLength: 1, maxLength: 6 }), fc.constantFrom(false, false, false, false, false, true))
  .map(([n, picks, stay]) =>
    happening(`deliver ${shown(picks)} to idle ${n}${stay ? ', and again later' : ''}`, ({ workers }) =>
      workers.deliver(n, picks, stay),
    ),
  );

const delayed = fc.tuple(nth, fc.constantFrom(false, false, true)).map(([n, leases]) =>
  happening(`delayed work by idle ${n}${leases ? ', after the leases' : ''}`, async (trial) => {
    await trial.letTimePass(leases);
    trial.workers.beginDelayed(n);
  }),
);

const asked = fc
  .record({
    user: member,
    relation: fc.constantFrom(...RELATIONS),
    limit: fc.integer({ min: 1, max: 3 }),
    photos: fc.boolean(),
    of: side,
  })
  .map(({ photos, of, ...drawn }) => {
    const query = of === 'groups' ? { ...drawn, relation: 'any' as const } : drawn;
    const { user, limit, relation } = query;
    return happening(`${user} asks for ${photos ? 'photos of ' : ''}${limit} ${relation} ${of}`, (trial) => {
      const { client } = trial[of];
      trial.inBackground(photos ? client.readPhotos(query) : client.readContacts(query));
    });
  });

const bothAsked = fc.record({ user: member, limit: fc.integer({ min: 1, max: 4 }) }).map((query) =>
  happening(`${query.user} asks for ${query.limit} of both kinds`, (trial) => {
    const { sides, turns } = trial;
    trial.inBackground(readBoth(sides, turns.now, query));
  }),
);

const unseenAsked = fc
  .tuple(member, side)
  .map(([user, of]) =>
    happening(`${user} asks what is new of ${of}`, (trial) => trial.inBackground(trial[of].client.readUnseen(user))),
  );
const place = fc.nat(CAST.length - 1);
const marks = fc.array(fc.record({ nth, source: fc.option(place, { nil: undefined }) }), {
  minLength: 1,
  maxLength: 3,
});
const marked = fc.tuple(member, marks, side).map(([user, some, of]) =>
  happening(
    `${user} has seen ${some.map(({ nth: list, source }) => `list ${list}${source === undefined ? '' : `, of place ${source}`}`).join(' and ')} of ${of}`,
    (trial) => {
      const { seenBy, sources } = trial[of];
      const sourceAt = (at: number | undefined) => (at === undefined ? undefined : sources[at % sources.length]);
      return seenBy.mark(
        user,
        some.map(({ nth: list, source }) => ({ nth: list, source: sourceAt(source) })),
      );
    },
  ),
);

const built = fc
  .tuple(users, side)
  .map(([some, of]) => happening(`backfill ${of} ${some.join(' ')}`, (trial) => trial.backfill(trial[of], some)));
const repaired = fc
  .tuple(users, side)
  .map(([some, of]) => happening(`repair ${of} ${some.join(' ')}`, (trial) => trial.repair(trial[of], some)));

const killed = nth.map((n) => happening(`kill busy ${n}`, ({ workers }) => workers.kill(n)));
const stopped = fc
  .tuple(nth, fc.boolean())
  .map(([n, long]) =>
    happening(`stop busy ${n}${long ? ' past its session' : ''}`, ({ workers }) => workers.stop(n, long)),
  );
const resumed = nth.map((n) => happening(`stopped ${n} continues`, ({ workers }) => workers.continueNth(n)));
const befallen = fc
  .tuple(nth, fc.constantFrom<Mishap>('refused', 'reply_lost', 'sent_twice'))
  .map(([n, mishap]) => happening(`${mishap} for busy ${n}`, ({ workers }) => workers.befall(n, mishap)));

const kindOf = { contacts: CONTACTS, groups: GROUPS } as const;
const evicted = fc
  .tuple(member, which, side)
  .map(([user, key, of]) =>
    happening(`evict ${key} of ${user} (${of})`, ({ disturbances }) => disturbances.evict(user, key, kindOf[of])),
  );
const idle = fc
  .tuple(member, side)
  .map(([user, of]) =>
    happening(`${user} is idle (${of})`, ({ disturbances }) => disturbances.leaveIdle(user, kindOf[of])),
  );
const swept = always('drop the idle', async ({ sides }) => {
  for (const { stores } of sides) await stores.index.dropIdle(CAST, 30);
});
const obstructed = fc
  .tuple(member, which, side)
  .map(([user, key, of]) =>
    happening(`obstruct ${key} of ${user} (${of})`, ({ disturbances }) => disturbances.obstruct(user, key, kindOf[of])),
  );
const cleared = always('remove obstructions', ({ disturbances }) => disturbances.removeObstructions());
const flushed = always('flush', ({ disturbances }) => disturbances.flush());
const scriptsFlushed = always('flush scripts', ({ disturbances }) => disturbances.flushScripts());

const epoch = always('a new epoch', (trial) => trial.beginEpoch('the test began one'));
const remembered = always('a replica begins to lag', ({ disturbances }) => disturbances.remember());
const failedOver = always('fail over', (trial) => trial.failOver());
const lost = fc.array(pick, { minLength: 1, maxLength: 3 }).map((picks) =>
  happening(`lose ${shown(picks)}`, async (trial) => {
    if (trial.carrier.lose(picks) > 0) await trial.beginEpoch('the test lost tasks');
  }),
);

/** Brings everything to rest, checks it and continues. Otherwise a later rebuild would hide an error. */
class Rest implements AsyncCommand<None, Trial> {
  check(): boolean {
    return true;
  }

  async run(_model: None, trial: Trial): Promise<void> {
    await comeToRest(trial);
  }

  toString(): string {
    return 'rest';
  }
}

type Weighted = readonly (readonly [weight: number, arbitrary: fc.Arbitrary<AsyncCommand<None, Trial>>])[];

/** Ordinary events of a site, and faults of the processes. */
const USUAL: Weighted = [
  [60, moved],
  [5, early],
  [4, committed],
  [8, published],
  [30, delivered],
  [5, delayed],
  [12, asked],
  [4, bothAsked],
  [6, unseenAsked],
  [6, marked],
  [2, built],
  [1, repaired],
  [4, killed],
  [2, stopped],
  [3, resumed],
  [5, befallen],
  [2, idle],
  [1, swept],
  [4, fc.constant(null).map(() => new Rest())],
];

/** Faults of Redis and the transport. Most of them make indexes cold, which hides errors in them. */
const UNUSUAL: Weighted = [
  [2, built],
  [2, evicted],
  [1, obstructed],
  [1, cleared],
  [1, flushed],
  [1, scriptsFlushed],
  [1, epoch],
  [1, remembered],
  [1, failedOver],
  [1, lost],
];

/**
 * Histories. Most are without unusual faults, because these would hide errors.
 * @param replayPath printed by fast-check for a failing history
 */
export function histories(maxCommands: number, replayPath = '') {
  const constraints = { maxCommands, size: 'max', ...(replayPath === '' ? {} : { replayPath }) } as const;
  const of = (weighted: Weighted) =>
    fc.noBias(fc.commands([fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary })))], constraints));
  return fc.oneof({ weight: 3, arbitrary: of(USUAL) }, { weight: 2, arbitrary: of([...USUAL, ...UNUSUAL]) });
}
