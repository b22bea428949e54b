import type { Id } from '../../src/contracts/id.ts';
import { byKeyDescending, isAbove, type Key } from '../../src/contracts/key.ts';
import { CONTACTS, type KindName } from '../../src/contracts/kind.ts';
import { KEEP_ALL } from '../../src/index/allowance.ts';
import type { KindStatements } from '../../src/mysql/statements/kind-statements.ts';
import type { RecentAnswer, RecentQuery } from '../../src/query/recent-answer.ts';
import type { RecentContacts } from '../../src/query/recent-contacts.ts';
import { USUAL_SITE } from '../../src/site/site.ts';
import { type IndexOwner, nameOfOwner, ownersOf } from '../machine/index-contents.ts';
import type { Machine } from '../machine/machine.ts';
import { Unknown, whenKnown } from '../machine/unknown.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { ModelDatabase } from '../site/model-database.ts';
import { ofKind, type Snapshot } from '../site/questions.ts';
import { kindOf, type TruthRow } from '../site/site.ts';
import type { Violation } from '../violation.ts';
import { textOf } from './checks.ts';
import { type Debts, pairDebt } from './debts.ts';

interface Told {
  readonly owner: IndexOwner;
  readonly query: RecentQuery;
  readonly answer: RecentAnswer;
  /** The answer of plain SQL, without a limit. */
  readonly truth: readonly Key[];
}

/** The product's answers to every question about a user. */
export class Answers {
  readonly #machine: Machine;
  readonly #scenario: Scenario;
  readonly #told = new Map<number, readonly Told[]>();
  /** About contacts, whatever the kind: the model answers for each alike. */
  readonly #statements: KindStatements;

  constructor(machine: Machine, scenario: Scenario) {
    this.#machine = machine;
    this.#statements = new machine.product.code.KindStatements(USUAL_SITE, CONTACTS);
    this.#scenario = scenario;
  }

  /** I7: only contacts, and only photos that the user may see. @throws Unknown */
  checkRows(index: number, site: number): Violation | undefined {
    for (const told of this.#ask(index, site)) {
      const { answer, truth } = told;
      const wrong = answer.contacts.find(({ id, at }) => !truth.some((key) => key.id === id && key.at === at));
      const what = `names ${textOf(wrong ? [wrong] : [])}; MySQL says ${textOf(truth)}`;
      if (wrong !== undefined) return { rule: 'I7', what: `${nameOf(told)} ${what}` };
    }
    return undefined;
  }

  /** While tasks are known to be lost, no answer comes from an index. @throws Unknown */
  checkSuspended(index: number, site: number): Violation | undefined {
    if (!this.#machine.site.isSuspended(site)) return undefined;
    const certified = this.#ask(index, site).find(({ answer }) => answer.source === 'index');
    return certified && { rule: 'S1', what: `${nameOf(certified)} is from the index while a loss is known` };
  }

  /** I8: equal to plain SQL, except for contacts whose tasks are in flight. @throws Unknown */
  checkOrder(index: number, site: number, debts: Debts): Violation | undefined {
    for (const told of this.#ask(index, site)) {
      const what = otherThanSql(told, (id) => debts.pairs.includes(pairDebt(told.owner, id)));
      if (what !== undefined) return { rule: 'I8', what: `${nameOf(told)} ${what}` };
    }
    return undefined;
  }

  #ask(index: number, site: number): readonly Told[] {
    const key = index * 2 ** 24 + site;
    const told = this.#told.get(key);
    if (told === undefined) throw new Unknown(async () => void this.#told.set(key, await this.#find(index, site)));
    return told;
  }

  async #find(index: number, site: number): Promise<Told[]> {
    const snapshot = this.#machine.site.snapshot(site);
    const told: Told[] = [];
    for (const owner of ownersOf(this.#scenario)) {
      const { epoch, rows } = ofKind(snapshot, owner.kind);
      const recent = this.#recent(index, owner.kind, { epoch, rows });
      const own = rows.filter((row) => row.user === owner.user && row.related && row.at > 0);
      for (const query of queries(owner, own)) {
        told.push({ owner, query, answer: await recent.find(query), truth: wantedBy(query, own) });
      }
    }
    return told;
  }

  #recent(index: number, kind: KindName, snapshot: Snapshot): RecentContacts {
    const { code } = this.#machine.product;
    const { indexAbove } = this.#scenario.rules ?? KEEP_ALL;
    const database = { server: new ModelDatabase(snapshot).database, statements: this.#statements };
    return new code.RecentContacts({
      index: { read: (user) => whenKnown(() => this.#machine.index.read(index, { kind, user })) },
      database,
      small: indexAbove > 0 ? new code.SmallUsers({ database, most: indexAbove }) : undefined,
      min: this.#scenario.min,
      max: this.#scenario.max,
      onCold: () => undefined,
      onLow: () => undefined,
      touch: false,
      now: () => 0,
    });
  }
}

/** Every limit, every page, and where the kind has it a filter. */
function* queries({ kind, user }: IndexOwner, rows: readonly TruthRow[]): Iterable<RecentQuery> {
  for (const limit of [1, 2, 3]) yield { user, limit, relation: 'any', below: undefined };
  for (const row of rows) yield { user, limit: 1, relation: 'any', below: keyOf(row) };
  if (kindOf(kind).hasRelations) yield { user, limit: 2, relation: 'friends', below: undefined };
}

function wantedBy({ relation, below }: RecentQuery, rows: readonly TruthRow[]): Key[] {
  return rows
    .filter((row) => relation === 'any' || row.isFriend)
    .map(keyOf)
    .filter((key) => below === undefined || isAbove(below, key))
    .sort(byKeyDescending);
}

/** Only contacts with tasks in flight may be missing, so the expected rows continue until there are enough others. */
function otherThanSql({ query, answer, truth }: Told, isOnItsWay: (id: Id) => boolean): string | undefined {
  const { contacts, more, source } = answer;
  const told = new Set(contacts.map(({ id }) => id));
  const due = truth.filter(({ id }) => told.has(id) || !isOnItsWay(id));
  const [is, should] = [textOf(contacts), textOf(due.slice(0, query.limit))];
  if (is !== should) return `is ${is} (${source}), by plain SQL ${should}`;
  return !more && due.length > query.limit ? 'says that there are no more' : undefined;
}

function keyOf({ contact, at }: TruthRow): Key {
  return { id: contact, at };
}

function nameOf({ owner, query: { limit, relation, below } }: Told): string {
  const page = below === undefined ? '' : ` below ${textOf([below])}`;
  return `the answer for ${nameOfOwner(owner)} (limit ${limit}, ${relation}${page})`;
}
