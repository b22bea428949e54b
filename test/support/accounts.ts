import { GRANTS, type Grants } from '../../src/health/check-mysql.ts';

/** Every table and view that each account reads. */
export const READ = [
  ...[
    'recency_contacts',
    'recency_photos',
    'recency_epoch',
    'recency_settings',
    'recency_runs',
    'recency_leases',
    'recency_outbox',
    'recency_kafka_ends',
    'recency_seen',
  ],
  ...['recency_watches', 'recency_undelivered', 'recency_capture', 'recency_settled_letters'],
];

/** The tables under the reference views, which run with the caller's privileges. */
const UNDER_VIEWS = ['users', 'contacts', 'photos'];

/** Grants of the account that migrates. */
export const MIGRATE = 'SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP, INDEX, REFERENCES, CREATE VIEW';

/** Grants of the account that imports an edge list. */
export const IMPORT = 'SELECT, INSERT, UPDATE, DELETE, CREATE TEMPORARY TABLES';

/** The least privileges of each process's account in MySQL, as in docs/operations.md. */
export function grantsOf(user: string, writes: Grants = GRANTS[user as keyof typeof GRANTS]): string[] {
  return [
    ...[...READ, ...UNDER_VIEWS].map((table) => `GRANT SELECT ON recency.${table} TO ${user}`),
    ...Object.entries(writes).map(([table, some]) => `GRANT ${some.join(', ')} ON recency.${table} TO ${user}`),
  ];
}
