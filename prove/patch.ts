/** A change of the product's text, applied when it is loaded. The text must occur exactly once. */
export interface Patch {
  /** Below `src`, for example `index/refresh.ts`. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** @throws Error when the text to replace is missing or occurs twice: the patch no longer fits the product */
export function applyPatch(source: string, { file, from, to }: Patch): string {
  const parts = source.split(from);
  if (parts.length === 2) return parts.join(to);
  const times = parts.length === 1 ? 'does not occur' : `occurs ${parts.length - 1} times`;
  throw new Error(`the patch of src/${file} no longer fits: this text ${times} in it:\n${from}`);
}
