import type { Id } from '../contracts/id.ts';
import type { WrongAnswer } from './answer-check.ts';
import type { Mismatch } from './drift.ts';
import type { Drifted, WrongAnswersOf } from './page-check.ts';
import type { WrongPair } from './truth-check.ts';

/** Examples of each kind: enough to investigate by hand; a report does not list everybody. */
const SHOWN = 20;

export interface FoundWrong {
  readonly drifted: readonly Drifted[];
  readonly answers: readonly WrongAnswersOf[];
  readonly columns: readonly Id[];
  readonly pairs: readonly WrongPair[];
}

const NOTHING: FoundWrong = { drifted: [], answers: [], columns: [], pairs: [] };

export interface DriftExample {
  readonly user: Id;
  readonly visible: boolean;
  readonly mismatches: readonly Omit<Mismatch, 'nonce'>[];
}

export interface AnswerExample {
  readonly user: Id;
  readonly wrong: readonly Omit<WrongAnswer, 'nonce' | 'differing'>[];
}

export interface ShownExamples {
  readonly wrong_users: DriftExample[];
  readonly wrong_answers: AnswerExample[];
  readonly wrong_columns: Id[];
  /** Drift of the class `truth`. */
  readonly wrong_pairs: WrongPair[];
}

/** Keeps the first few things of each kind that are wrong. */
export class Examples {
  #found: FoundWrong = NOTHING;

  add(more: Partial<FoundWrong>): void {
    const { drifted, answers, columns, pairs } = { ...NOTHING, ...more };
    this.#found = {
      drifted: [...this.#found.drifted, ...drifted].slice(0, SHOWN),
      answers: [...this.#found.answers, ...answers].slice(0, SHOWN),
      columns: [...this.#found.columns, ...columns].slice(0, SHOWN),
      pairs: [...this.#found.pairs, ...pairs].slice(0, SHOWN),
    };
  }

  /** As `--json` prints them: without nonces, which mean nothing to a reader. */
  shown(): ShownExamples {
    const { drifted, answers, columns, pairs } = this.#found;
    return {
      wrong_users: drifted.map(({ user, clientVisible, mismatches }) => ({
        user,
        visible: clientVisible,
        mismatches: mismatches.slice(0, SHOWN).map(({ nonce: _, ...rest }) => rest),
      })),
      wrong_answers: answers.map(({ user, wrong }) => ({
        user,
        wrong: wrong.map(({ nonce: _, differing: __, ...rest }) => rest),
      })),
      wrong_columns: [...columns],
      wrong_pairs: [...pairs],
    };
  }
}
