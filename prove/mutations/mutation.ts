import type { MastersScenario } from '../masters/world.ts';
import type { Patch } from '../patch.ts';
import type { PushScenario } from '../push/world.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import type { ServersScenario } from '../servers/world.ts';

/** A rule taken out of the product: a search must then find a wrong history, or the rule is not needed. */
export interface Mutation {
  /** The rule, as docs/exactness.md names it. */
  readonly rule: string;
  /** What is done instead. */
  readonly instead: string;
  readonly patches: readonly Patch[];
  /** A rule of the site's: what changes there. */
  readonly change?: Partial<Scenario>;
  /** A rule of push, which only its scenarios search; what changes in them. */
  readonly push?: Partial<PushScenario>;
  /** The same of servers. */
  readonly servers?: Partial<ServersScenario>;
  /** The same of Redis masters. */
  readonly masters?: Partial<MastersScenario>;
  /** A rule of whose the indexes are, which only its scenarios search. */
  readonly owners?: true;
  /** A rule of capture, which only its scenarios search. */
  readonly capture?: true;
  /** The names of scenarios to search first: there it is found sooner. */
  readonly try?: readonly string[];
  /** Why its removal is not caught, where that is known and accepted. */
  readonly notCaught?: string;
}
