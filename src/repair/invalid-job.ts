/** A long job was asked for what it cannot do; the message says what, and how to ask for it. Nothing was done. */
export class InvalidJob extends Error {
  override readonly name = 'InvalidJob';
}
