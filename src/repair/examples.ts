import type { Id } from '../contracts/id.ts';
import type { WrongAnswer } from './answers.ts';
import type { Mismatch } from './drift.ts';
import type { Drifted, WrongAnswersOf } from './page-check.ts';

/** Enough to look into one by hand; a report is not a list of everybody. */
const SHOWN = 20;

export interface Found {
  readonly drifted: readonly Drifted[];
  readonly answers: readonly WrongAnswersOf[];
  readonly columns: readonly Id[];
}

export interface DriftExample {
  readonly user: Id;
  readonly visible: boolean;
  readonly mismatches: readonly Omit<Mismatch, 'nonce'>[];
}

export interface AnswerExample {
  readonly user: Id;
  readonly wrong: readonly Omit<WrongAnswer, 'nonce' | 'differing'>[];
}

/** The first few of each kind of thing that is wrong, by name. */
export class Examples {
  #found: Found = { drifted: [], answers: [], columns: [] };

  add({ drifted, answers, columns }: Found): void {
    this.#found = {
      drifted: [...this.#found.drifted, ...drifted].slice(0, SHOWN),
      answers: [...this.#found.answers, ...answers].slice(0, SHOWN),
      columns: [...this.#found.columns, ...columns].slice(0, SHOWN),
    };
  }

  shown(): { wrong_users: DriftExample[]; wrong_answers: AnswerExample[]; wrong_columns: Id[] } {
    const { drifted, answers, columns } = this.#found;
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
    };
  }
}

/** A nonce tells nobody anything who cannot see the next one. */
function withoutNonces<T extends { readonly nonce: unknown }>(found: readonly T[]): Omit<T, 'nonce'>[] {
  return found.map(({ nonce: _, ...rest }) => rest);
}
