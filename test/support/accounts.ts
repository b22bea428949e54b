import { GRANTS, type Grants } from '../../src/app/check-mysql.ts';

/** Every table and view that each account reads. */
export const READ = [
  ...['recency_contacts', 'recency_photos', 'recency_epoch', 'recency_redis_masters', 'recency_mysql_servers'],
  ...['recency_settings', 'recency_runs', 'recency_leases', 'recency_outbox', 'recency_kafka_ends'],
];

/** What is under the reference views, which run with the rights of who asks. */
const UNDER_VIEWS = ['users', 'contacts', 'photos'];

/** For the account that migrates. */
export const MIGRATE = 'SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP, INDEX, REFERENCES, CREATE VIEW';

/** For the account that imports an edge list. */
export const IMPORT = 'SELECT, INSERT, UPDATE, DELETE, CREATE TEMPORARY TABLES';

/** What an account of a process needs in MySQL, and no more: docs/operations.md. */
export function grantsOf(user: string, writes: Grants = GRANTS[user as keyof typeof GRANTS]): string[] {
  return [
    ...[...READ, ...UNDER_VIEWS].map((table) => `GRANT SELECT ON recency.${table} TO ${user}`),
    ...Object.entries(writes).map(([table, some]) => `GRANT ${some.join(', ')} ON recency.${table} TO ${user}`),
  ];
}
