import type { WorldPartLetter } from '../parts.ts';
import type { Patch } from '../patch.ts';
import type { PushScenario } from '../push/world.ts';
import type { Scenario } from '../scenarios/scenario.ts';

/** A rule taken out of the product: a search must then find a wrong history, or the rule is not needed. */
export type Mutation = OfIndexes | OfPart;

interface Rule {
  /** The rule, as docs/exactness.md names it. */
  readonly rule: string;
  /** What is done instead. */
  readonly instead: string;
  readonly patches: readonly Patch[];
  /** The names of scenarios to search first: there it is found sooner. */
  readonly try?: readonly string[];
  /** Why its removal is not caught, where that is known and accepted. */
  readonly notCaught?: string;
}

/** A rule that shows in the scenarios of the indexes. */
export interface OfIndexes extends Rule {
  readonly part?: undefined;
  /** A rule that is not in the product's text: what is different in the scenarios. */
  readonly change?: Partial<Scenario>;
}

/** A rule that shows only in the scenarios of another part. */
export interface OfPart extends Rule {
  readonly part: WorldPartLetter;
  readonly change?: Partial<PushScenario>;
}
