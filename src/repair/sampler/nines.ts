/**
 * How often what is asked is right, in nines: 0.999 is 3. Where none was wrong it is the most that so many can show: none
 * of a thousand is 3 nines, and not infinitely many.
 * @returns −log10 of the share that is wrong; undefined: nothing was checked
 */
export function ninesOf({ checked, wrong }: { readonly checked: number; readonly wrong: number }): number | undefined {
  return checked === 0 ? undefined : Math.log10(checked / Math.max(wrong, 1));
}
