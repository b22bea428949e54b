import type { Id } from '../../../contracts/id.ts';
import { readPlain } from '../../../mysql/contacts.ts';
import type { Database } from '../../../mysql/database.ts';
import type { RecipeIndex } from './recipe-index.ts';

/** As uploads would have left it, the oldest first. @param max contacts that an index keeps @throws DatabaseUnavailable */
export async function fillRecipeIndex(index: RecipeIndex, database: Database, user: Id, max: number): Promise<void> {
  const { contacts: top } = await readPlain(database, { user, relation: 'any', limit: max, below: undefined });
  for (const contact of top.toReversed()) await index.add(user, contact);
}
