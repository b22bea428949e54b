/** `recency init --check FILE`: the views against the site's own SQL, for a page of users. */
import { readFile } from 'node:fs/promises';
import { differenceOf, parseSiteSql, SiteSqlError, type UserDifference } from '../adoption/site-answers.ts';
import type { Config } from '../config/config.ts';
import type { Id } from '../contracts/id.ts';
import { CONTACTS } from '../contracts/kind.ts';
import { counting } from '../health/finding.ts';
import type { Database } from '../mysql/database.ts';
import { readAllContacts } from '../mysql/statements/all-contacts.ts';
import { type KindDatabase, kindDatabases } from '../mysql/statements/kind-statements.ts';
import { readAnyPairs } from '../mysql/statements/pairs.ts';
import { siteOf } from '../site/site.ts';

interface SiteCheck {
  readonly users: number;
  readonly different: number;
  readonly differences: readonly UserDifference[];
}

/** Pairs from which the users are taken: those who have contacts, and those who are contacts. */
const PAIRS = 20_000;

/** Differences that are kept. */
const KEPT = 100;

/** @param most users at most @throws SiteSqlError, DatabaseUnavailable */
export async function checkSite(
  { config, primary }: { readonly config: Config; readonly primary: Database },
  file: string,
  most: number,
  signal: AbortSignal,
): Promise<SiteCheck> {
  const { statement, placeholders } = parseSiteSql(await textOf(file), file);
  const contacts = kindDatabases(siteOf(config), primary).find(
    ({ statements }) => statements.kind.name === CONTACTS.name,
  );
  if (contacts === undefined) throw new SiteSqlError('There is nothing to compare: RECENCY_KINDS leaves out contacts.');
  const users = await usersIn(contacts, most);
  const differences: UserDifference[] = [];
  let different = 0;
  for (const user of users) {
    signal.throwIfAborted();
    const shown = await primary.rows(statement, Array(placeholders).fill(user));
    const difference = differenceOf(user, shown, await readAllContacts(contacts, user));
    if (difference === undefined) continue;
    different += 1;
    if (differences.length < KEPT) differences.push(difference);
  }
  return { users: users.length, different, differences };
}

async function textOf(file: string): Promise<string> {
  return await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new SiteSqlError(`${file} cannot be read (${error.code}).`, { cause: error });
  });
}

/** A contact who has nobody is a user as well: so a pair that the views have in one direction only is noticed. */
async function usersIn(contacts: KindDatabase, most: number): Promise<Id[]> {
  const pairs = await readAnyPairs(contacts, PAIRS);
  const { areUsers } = contacts.statements.kind;
  const users = new Set(pairs.flatMap(({ user, contact }) => (areUsers ? [user, contact] : [user])));
  return [...users].slice(0, most);
}

/** Users whose differences are printed. */
const SHOWN = 10;

export function siteCheckText({ users, different, differences }: SiteCheck): string {
  const lines = differences
    .slice(0, SHOWN)
    .flatMap(({ user, missing, extra, times }) => [
      `  user ${user}`,
      ...missing.map(({ contact, why }) => `    ${contact}: on the site, not in the views (${why})`),
      ...extra.map((contact) => `    ${contact}: in the views, not on the site`),
      ...times.map(
        ({ contact, site, views }) =>
          `    ${contact}: the newest photo is of ${site} on the site, of ${views} in the views`,
      ),
    ]);
  const more = different > SHOWN ? [`  and ${counting(different - SHOWN, 'more user', 'more users')}`] : [];
  return [`${counting(users, 'user')} compared with the site's own SQL: ${different} differ.`, ...lines, ...more].join(
    '\n',
  );
}
