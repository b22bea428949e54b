import type { Id } from '../contracts/id.ts';
import type { WrongAnswer } from './answers.ts';
import type { Mismatch } from './drift.ts';
import type { Drifted, WrongAnswersOf } from './page-check.ts';
import type { WrongPair } from './truth-check.ts';

/** Enough to look into one by hand; a report is not a list of everybody. */
const SHOWN = 20;

export interface Found {
  readonly drifted: readonly Drifted[];
  readonly answers: readonly WrongAnswersOf[];
  readonly columns: readonly Id[];
  readonly pairs: readonly WrongPair[];
}

const NOTHING: Found = { drifted: [], answers: [], columns: [], pairs: [] };

export interface DriftExample {
  readonly user: Id;
  readonly visible: boolean;
  readonly mismatches: readonly Omit<Mismatch, 'nonce'>[];
}

export interface AnswerExample {
  readonly user: Id;
  readonly wrong: readonly Omit<WrongAnswer, 'nonce' | 'differing'>[];
}

export interface Shown {
  readonly wrong_users: DriftExample[];
  readonly wrong_answers: AnswerExample[];
  readonly wrong_columns: Id[];
  /** Drift of the class `truth`. */
  readonly wrong_pairs: WrongPair[];
}

/** The first few of each kind of thing that is wrong, by name. */
export class Examples {
  #found: Found = NOTHING;

  add(more: Partial<Found>): void {
    const { drifted, answers, columns, pairs } = { ...NOTHING, ...more };
    this.#found = {
      drifted: [...this.#found.drifted, ...drifted].slice(0, SHOWN),
      answers: [...this.#found.answers, ...answers].slice(0, SHOWN),
      columns: [...this.#found.columns, ...columns].slice(0, SHOWN),
      pairs: [...this.#found.pairs, ...pairs].slice(0, SHOWN),
    };
  }

  shown(): Shown {
    const { drifted, answers, columns, pairs } = this.#found;
    return {
      wrong_users: drifted.map(({ user, visible, mismatches }) => ({
        user,
        visible,
        mismatches: withoutNonces(mismatches.slice(0, SHOWN)),
      })),
      wrong_answers: answers.map(({ user, wrong }) => ({
        user,
        wrong: withoutNonces(wrong.map(({ differing: _, ...rest }) => rest)),
      })),
      wrong_columns: [...columns],
      wrong_pairs: [...pairs],
    };
  }
}

/** A nonce tells nobody anything who cannot see the next one. */
function withoutNonces<T extends { readonly nonce: unknown }>(found: readonly T[]): Omit<T, 'nonce'>[] {
  return found.map(({ nonce: _, ...rest }) => rest);
}
