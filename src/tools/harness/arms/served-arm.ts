/**
 * What answers in place of Recency's API, each in a process of its own:
 * - `sql`: the best plain query over all of a user's contacts
 * - `recipe`: the recipe as it was published
 * - `recipe_hinted`: the same with the index forced
 * - `empty_route`: nothing at all, which is what Express takes by itself
 */
export const SERVED_ARMS = ['sql', 'recipe', 'recipe_hinted', 'empty_route'] as const;
export type ServedArm = (typeof SERVED_ARMS)[number];
