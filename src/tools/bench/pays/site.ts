import type { Id } from '../../../contracts/id.ts';
import { between, type Random, seededRandom } from '../../harness/random.ts';
import { idsFrom, type NewContact } from '../../reference-site/load-graph.ts';

/** A user of the site. */
export interface Person {
  readonly user: Id;
  readonly contacts: readonly Id[];
  /** How much the user reads and uploads, against others; 0: dormant. */
  readonly reads: number;
  readonly uploads: number;
}

const FIRST = 20_000_000n;

/** Half of the users are dormant. */
const DORMANT = 2;

/** Contacts as in real networks, where the share of users with k or more is s / k; one has all others, up to 20,000. The same at every call. */
export function peopleOf(count: number, meanContacts: number): Person[] {
  const random = seededRandom(count + meanContacts);
  const users = idsFrom(FIRST, count);
  const most = count - 1;
  const share = shareFor(meanContacts, most);
  return users.map((user, place) => {
    const wanted = place === 0 ? Math.min(most, 20_000) : Math.min(most, Math.floor(share / (1 - random())));
    const isDormant = place > 0 && place % DORMANT === 0;
    const contacts = someOf(users, place, wanted, random);
    const [reads, uploads] = [logNormal(random), logNormal(random)];
    return { user, contacts, reads: isDormant ? 0 : reads, uploads: isDormant ? 0 : uploads };
  });
}

export function tiesOf(people: readonly Person[]): NewContact[] {
  return people.flatMap(({ user, contacts }) => contacts.map((contact) => ({ user, contact })));
}

/** The s for which the mean is this: the sum over k of min(1, s / k). */
function shareFor(mean: number, most: number): number {
  const meanOf = (share: number) => {
    let sum = 0;
    for (let k = 1; k <= most; k++) sum += Math.min(1, share / k);
    return sum;
  };
  let [low, high] = [0, most];
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2;
    if (meanOf(middle) < mean) low = middle;
    else high = middle;
  }
  return low;
}

function someOf(users: readonly Id[], own: number, wanted: number, random: Random): Id[] {
  const chosen = new Set<Id>();
  if (wanted > users.length / 2) return users.filter((_user, place) => place !== own).slice(0, wanted);
  while (chosen.size < wanted) {
    const place = between(random, 0, users.length - 1);
    if (place !== own) chosen.add(users[place] ?? '');
  }
  return [...chosen];
}

/** Of median 1. */
function logNormal(random: Random): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.exp(normal);
}

/** Draws people by weight. */
export class Draw {
  readonly #people: readonly Person[];
  readonly #sums: number[] = [];
  readonly #random: Random;

  constructor(people: readonly Person[], weightOf: (person: Person) => number, random: Random) {
    this.#people = people;
    this.#random = random;
    let sum = 0;
    for (const person of people) {
      sum += weightOf(person);
      this.#sums.push(sum);
    }
  }

  next(): Person {
    const at = this.#random() * (this.#sums.at(-1) ?? 0);
    let [low, high] = [0, this.#sums.length - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#sums[middle] ?? 0) > at) high = middle;
      else low = middle + 1;
    }
    return this.#people[low] as Person;
  }
}
