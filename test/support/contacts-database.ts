import { CONTACTS, type Kind } from '../../src/contracts/kind.ts';
import { Database, type DatabaseOptions } from '../../src/mysql/database.ts';
import { MeteredDatabase } from '../../src/mysql/metered-database.ts';
import { type KindDatabase, KindStatements } from '../../src/mysql/statements/kind-statements.ts';
import { type Site, USUAL_SITE } from '../../src/site/site.ts';

/** Contacts as this site has them. */
export function contactsOf(site: Site): Kind {
  return site.kinds.find(({ name }) => name === CONTACTS.name) ?? CONTACTS;
}

interface ContactsOptions extends DatabaseOptions {
  /** Default: contacts are users, and bits have no names. */
  readonly site?: Site | undefined;
  /** Answers have the columns `extra_…` that a probe finds. */
  readonly passesOn?: boolean | undefined;
}

/** A server and what it is asked about contacts, in one: most tests know of no other kind. */
export class ContactsDatabase extends Database implements KindDatabase {
  readonly server = this;
  readonly statements: KindStatements;

  constructor(url: string, { site = USUAL_SITE, passesOn = false, ...options }: ContactsOptions) {
    super(url, options);
    this.statements = new KindStatements(site, contactsOf(site), { passesOn });
  }
}

/** The same, counting the rows that are read. */
export class MeteredContactsDatabase extends MeteredDatabase implements KindDatabase {
  readonly server = this;
  readonly statements = new KindStatements(USUAL_SITE, CONTACTS);
}
