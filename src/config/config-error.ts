import { UserError } from '../contracts/user-error.ts';

/** One setting that cannot be used, and why. No value of a secret is in the message. */
export interface SettingProblem {
  /** As in the environment, with the prefix. */
  readonly name: string;
  readonly message: string;
}

/** The settings cannot be used. The message names each that is wrong, for people; it holds no secret. */
export class ConfigError extends UserError {
  override readonly name = 'ConfigError';
  readonly problems: readonly SettingProblem[];

  constructor(problems: readonly SettingProblem[]) {
    super(problems.map((problem) => `${problem.name} ${problem.message}`).join('\n'));
    this.problems = problems;
  }

  override get kind() {
    return 'wrong_use' as const;
  }
}
