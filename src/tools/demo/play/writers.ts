import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'mysql2/promise';
import type { Id } from '../../../contracts/id.ts';
import { changeVisibility, deletePhoto, uploadPhoto } from '../../reference-site/photos.ts';
import { addContact, changeRelationship, removeContact } from '../../reference-site/relationships.ts';
import { anyAudience, anyGrant } from '../graph.ts';
import { between, pick, type Random, shuffled } from '../random.ts';
import type { Journal, JournalPhoto, PhotoState, RelationshipState } from './journal.ts';

/** Half of all changes are about this many people, so that they collide with each other and with reads. */
const CIRCLE = 100;

/** What the moves need: the site, the journal and the people. */
export class Stage {
  readonly pool: Pool;
  readonly journal: Journal;
  readonly random: Random;
  readonly #players: readonly Id[];
  readonly #circle: readonly Id[];
  readonly #busy = new Set<unknown>();

  constructor(options: { pool: Pool; journal: Journal; random: Random; players: readonly Id[] }) {
    this.pool = options.pool;
    this.journal = options.journal;
    this.random = options.random;
    this.#players = options.players;
    this.#circle = shuffled(options.random, options.players).slice(0, CIRCLE);
  }

  anyPlayer(): Id {
    return pick(this.random, this.random() < 0.5 ? this.#circle : this.#players);
  }

  /**
   * Does the work unless the same thing is being changed: otherwise nobody could tell which change was the later one.
   */
  async alone(thing: unknown, work: () => Promise<void>): Promise<void> {
    if (this.#busy.has(thing)) return;
    this.#busy.add(thing);
    try {
      await work();
    } finally {
      this.#busy.delete(thing);
    }
  }
}

/** Resolves when it is the caller's turn, or when aborted. */
export type WriterTurn = (signal: AbortSignal) => Promise<void>;

/**
 * Gives out turns at an even rate. Missed turns are not made up for, because that would be a burst. @param rate turns
 * per second
 */
export function pacedAt(rate: number): WriterTurn {
  let next = performance.now();
  return async (signal) => {
    const now = performance.now();
    next = Math.max(next + 1000 / rate, now);
    if (next > now) await pause(next - now, undefined, { signal }).catch(() => undefined);
  };
}

/** Something that people do on the site, in one transaction. Does nothing if there is nothing to do it with. */
export type Move = (stage: Stage) => Promise<void>;

/** Share of the uploads that are reported late, by up to a day. */
const LATE = 0.2;
const DAY_MS = 86_400_000;

const upload: Move = async (stage) => {
  const { pool, journal, random } = stage;
  const owner = stage.anyPlayer();
  const audience = anyAudience(random);
  const at = Date.now() - (random() < LATE ? between(random, 1_000, DAY_MS) : 0);
  await journal.upload(owner, audience, at, () => uploadPhoto(pool, owner, audience, at));
};

const deleteOne: Move = (stage) =>
  withPhoto(stage, async ({ pool, journal }, photo, id) => {
    await journal.changePhoto(photo, undefined, async () => expectDone(await deletePhoto(pool, id)));
  });

const showToOthers: Move = (stage) =>
  withPhoto(stage, async ({ pool, journal, random }, photo, id) => {
    const audience = anyAudience(random);
    if (audience === photo.timeline.latest) return;
    await journal.changePhoto(photo, audience, async () => expectDone(await changeVisibility(pool, id, audience)));
  });

/** Adds a new contact or, half of the time, a former one again. */
const add: Move = (stage) => {
  const user = stage.anyPlayer();
  const wanted = stage.random() < 0.5 ? anyContact(stage, user, false) : stage.anyPlayer();
  return withPair(stage, user, wanted, async ({ pool, journal, random }, before, contact) => {
    if (before.active) return;
    const grant = anyGrant(random);
    await journal.changeRelationship(user, contact, { active: true, ...grant }, () =>
      addContact(pool, user, contact, grant),
    );
  });
};

const remove: Move = (stage) => {
  const user = stage.anyPlayer();
  return withPair(stage, user, anyContact(stage, user, true), async ({ pool, journal }, before, contact) => {
    await journal.changeRelationship(user, contact, { ...before, active: false }, async () =>
      expectDone(await removeContact(pool, user, contact)),
    );
  });
};

/** Changes friend or family: the contact sees more or fewer of the user's photos. */
const grantOther: Move = (stage) => {
  const user = stage.anyPlayer();
  return withPair(stage, user, anyContact(stage, user, true), async ({ pool, journal, random }, before, contact) => {
    const grant = random() < 0.5 ? { friend: !before.friend, family: before.family } : anyGrant(random);
    await journal.changeRelationship(user, contact, { active: true, ...grant }, async () =>
      expectDone(await changeRelationship(pool, user, contact, grant)),
    );
  });
};

async function withPhoto(
  stage: Stage,
  change: (stage: Stage, photo: JournalPhoto, id: Id) => Promise<void>,
): Promise<void> {
  const photos = stage.journal.photosOf(stage.anyPlayer());
  if (photos.length === 0) return;
  const photo = pick(stage.random, photos);
  await stage.alone(photo, async () => {
    const state: PhotoState = photo.timeline.latest;
    if (photo.id !== undefined && state !== undefined) await change(stage, photo, photo.id);
  });
}

async function withPair(
  stage: Stage,
  user: Id,
  contact: Id | undefined,
  change: (stage: Stage, before: RelationshipState, contact: Id) => Promise<void>,
): Promise<void> {
  if (contact === undefined || contact === user) return;
  await stage.alone(`${user} ${contact}`, () => change(stage, stage.journal.relationship(user, contact), contact));
}

function anyContact(stage: Stage, user: Id, active: boolean): Id | undefined {
  const contacts = stage.journal.contactsOf(user).filter(([, latest]) => latest.active === active);
  return contacts.length === 0 ? undefined : pick(stage.random, contacts)[0];
}

/** The play knows the state, so the site must have done what was asked. */
function expectDone(done: boolean | string | null): void {
  if (done === false || done === null) throw new Error('the site did not do what the play asked of it');
}

/** How often each move happens, of twenty. */
const MOVES: readonly (readonly [Move, number])[] = [
  [upload, 6],
  [deleteOne, 2],
  [showToOthers, 3],
  [add, 4],
  [remove, 2],
  [grantOther, 3],
];

const DRAWN: readonly Move[] = MOVES.flatMap(([move, times]) => Array<Move>(times).fill(move));

export interface WritersOptions {
  readonly stage: Stage;
  /** Concurrent writers. */
  readonly atOnce: number;
  /** Maximum changes per second of all writers together. */
  readonly rate: number;
  readonly onChange: () => void;
}

/** Changes the site until aborted; resolves when the last transaction has returned. */
export async function runWriters(
  { stage, atOnce, rate, onChange }: WritersOptions,
  signal: AbortSignal,
): Promise<void> {
  const turn = pacedAt(rate);
  const write = async () => {
    while (!signal.aborted) {
      await turn(signal);
      await anyMove(stage.random)(stage);
      onChange();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, write));
}

function anyMove(random: Random): Move {
  return DRAWN[Math.floor(random() * DRAWN.length)] ?? upload;
}
