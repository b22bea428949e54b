import { modulePath, type ProcessGroup, type ServiceProcess } from '../processes/process-group.ts';

export interface StartedVariant {
  readonly member: ServiceProcess;
  readonly url: string;
}

/** Serves a variant in its own process. @throws StartError when it does not start */
export async function startVariant(
  processGroup: ProcessGroup,
  name: ServedVariant,
  processName: string = name,
): Promise<StartedVariant> {
  const member = processGroup.start({
    name: processName,
    module: modulePath(import.meta.url, './main'),
    args: [name],
    settings: { HOST: '127.0.0.1', PORT: '0' },
  });
  const listens = new Promise<string>((resolve) => {
    member.onMessage((message) => resolve((message as { url: string }).url));
  });
  return { member, url: await Promise.race([listens, member.failed]) };
}

/**
 * What is served in place of Recency's API.
 * - `sql`: the best plain query over all of a user's contacts
 * - `recipe`: the recipe as published
 * - `recipe_hinted`: the same with a forced index
 * - `denormalised`: last uploads in an indexed column of MySQL (src/tools/denormalised); its table must be there
 * - `empty_route`: nothing, which shows the cost of Express
 */
export const SERVED_VARIANTS = ['sql', 'recipe', 'recipe_hinted', 'denormalised', 'empty_route'] as const;
export type ServedVariant = (typeof SERVED_VARIANTS)[number];
