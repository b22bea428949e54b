declare module 'spdx-satisfies' {
  /** Does a licence, an SPDX expression, come to nothing but these? Throws when it is no expression. */
  export default function satisfies(expression: string, allowed: readonly string[]): boolean;
}
