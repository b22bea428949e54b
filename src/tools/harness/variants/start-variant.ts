import { modulePath, type ProcessGroup, type ServiceProcess } from '../processes/process-group.ts';

export interface StartedVariant {
  readonly member: ServiceProcess;
  readonly url: string;
}

/** Serves an arm in a process of its own. @throws StartError when it does not start */
export async function startVariant(processGroup: ProcessGroup, name: ServedVariant): Promise<StartedVariant> {
  const member = processGroup.start({
    name,
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
 * What answers in place of Recency's API, each in a process of its own:
 * - `sql`: the best plain query over all of a user's contacts
 * - `recipe`: the recipe as it was published
 * - `recipe_hinted`: the same with the index forced
 * - `empty_route`: nothing at all, which is what Express takes by itself
 */
export const SERVED_VARIANTS = ['sql', 'recipe', 'recipe_hinted', 'empty_route'] as const;
export type ServedVariant = (typeof SERVED_VARIANTS)[number];
