import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { basename } from 'node:path';
import { applyPatch, type Patch } from './patch.ts';
import type { ScriptPatch } from './redis/model-redis.ts';

export interface Product {
  readonly code: typeof import('./product.ts');
  readonly patchScript: ScriptPatch;
}

const SOURCES = new URL('../src/', import.meta.url);

/** The query that marks a patched copy of a module; every module that it imports is of the same copy. */
const MARK = '?patched=';

const patchesOf = new Map<string, readonly Patch[]>();

/**
 * Loads the product's modules and scripts, with these changes of their text. Each set of changes has module instances
 * of its own, so that several may be loaded in one thread.
 * @param name identifies the copy; the same name is the same copy
 * @throws Error when a patch does not fit
 */
export async function loadProduct(name: string, patches: readonly Patch[]): Promise<Product> {
  if (patchesOf.size === 0) registerHooks({ resolve, load });
  if (!patchesOf.has(name)) patchesOf.set(name, patches);
  for (const patch of patches) applyPatch(readFileSync(new URL(patch.file, SOURCES), 'utf8'), { ...patch });
  const code = (await import(`./product.ts${MARK}${encodeURIComponent(name)}`)) as typeof import('./product.ts');
  return { code, patchScript: (script, source) => patched(patches, luaFile(script), source) };
}

type Resolve = NonNullable<Parameters<typeof registerHooks>[0]['resolve']>;
type Load = NonNullable<Parameters<typeof registerHooks>[0]['load']>;

const resolve: Resolve = (specifier, context, next) => {
  const resolved = next(specifier, context);
  const mark = context.parentURL === undefined ? '' : new URL(context.parentURL).search;
  const isOurs = specifier.startsWith('.') && mark.startsWith(MARK) && !resolved.url.includes('?');
  return isOurs ? { ...resolved, url: resolved.url + mark } : resolved;
};

const load: Load = (url, context, next) => {
  const loaded = next(url, context);
  const { search, href } = new URL(url);
  const file = href.slice(SOURCES.href.length, href.length - search.length);
  if (!search.startsWith(MARK) || !href.startsWith(SOURCES.href)) return loaded;
  const patches = patchesOf.get(decodeURIComponent(search.slice(MARK.length))) ?? [];
  return { ...loaded, source: patched(patches, file, String(loaded.source)) };
};

/** Patches of one file are applied in order. */
function patched(patches: readonly Patch[], file: string, source: string): string {
  const here = patches.filter((patch) => patch.file === file || basename(patch.file) === file);
  return here.reduce(applyPatch, source);
}

/** The file that `defineScript` loaded this command from. */
function luaFile(command: string): string {
  return `${command.replace('recency_', '').replaceAll('_', '-')}.lua`;
}
