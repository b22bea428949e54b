import { UserError } from '../contracts/user-error.ts';

/** A long job was asked for what it cannot do; the message says what, and how to ask for it. Nothing was done. */
export class InvalidJob extends UserError {
  override readonly name = 'InvalidJob';

  override get kind() {
    return 'wrong_use' as const;
  }
}
