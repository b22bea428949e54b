import { CONTACTS, type Kind } from '../contracts/kind.ts';
import { InvalidJob } from './run-parameters.ts';

/** What a job needs for one kind. */
export type KindOf<P> = P & { readonly kind: Kind };

/** What a job needs for each kind in use; or, without `kinds`, for contacts alone. */
export type PartsByKind<P> = { readonly kinds: readonly KindOf<P>[] } | (P & { readonly kinds?: undefined });

export function partsByKind<P extends object>(parts: PartsByKind<P>): readonly KindOf<P>[] {
  return parts.kinds ?? [{ ...parts, kind: CONTACTS }];
}

export function isContactsAlone(names: readonly string[]): boolean {
  return names.length === 1 && names[0] === CONTACTS.name;
}

/**
 * The kinds that a job goes over, in the order in which they are given.
 * @param inUse what the job needs for each kind in use
 * @param names undefined: all of them
 * @throws InvalidJob when one of the names is not in use
 */
export function chosenKinds<P extends { readonly kind: Kind }>(
  inUse: readonly P[],
  names: readonly string[] | undefined,
): readonly P[] {
  const missing = names?.find((name) => !inUse.some(({ kind }) => kind.name === name));
  if (missing === undefined) return inUse.filter(({ kind }) => names?.includes(kind.name) ?? true);
  const used = inUse.map(({ kind }) => kind.name).join(', ');
  throw new InvalidJob(`kind: ${missing} is not in use; RECENCY_KINDS names ${used}`);
}
