/**
 * For each site in `sites/`: writes as its own code makes them, many rows in a statement and several tables at once, and, in
 * plain SQL written by hand, who must be in an answer. Nothing here comes from what `recency init` proposes.
 */
/** A whole number from 0 to below `n`. */
export type Draw = (n: number) => number;

export interface SiteScript {
  readonly users: readonly number[];
  /** More rows than the fixture has. */
  readonly more: readonly string[];
  /** One write. */
  readonly write: (draw: Draw) => string;
  /** TRUNCATE, which no trigger sees: `recency epoch bump` follows. */
  readonly truncate: readonly string[];
  /** Placeholders: the user, each time. The contacts who must be in the answer, as id and time in ms. */
  readonly answer: string;
}

export const PEOPLE = Array.from({ length: 12 }, (_, n) => n + 1);
export const rows = (list: readonly number[], row: (n: number) => string): string => list.map(row).join(', ');
export const pairs = PEOPLE.flatMap((a) => PEOPLE.filter((b) => (a * 7 + b * 5) % 4 !== 0).map((b) => [a, b] as const));
export const dateOf = (n: number): string =>
  `2026-02-${String(1 + (n % 27)).padStart(2, '0')} 10:00:${String(n % 60).padStart(2, '0')}`;

/** One of these texts, each made only when it is chosen. */
export function oneOf(draw: Draw, ...texts: readonly (() => string)[]): string {
  return texts[draw(texts.length)]?.() ?? '';
}

export const PIXELFED: SiteScript = {
  users: PEOPLE,
  more: [
    `INSERT IGNORE INTO profiles (id, username) VALUES ${rows(PEOPLE, (n) => `(${n}, 'p${n}')`)}`,
    `INSERT IGNORE INTO followers (profile_id, following_id, created_at) VALUES ${pairs.map(([a, b]) => `(${a}, ${b}, '2026-01-01')`)}`,
    `INSERT INTO statuses (id, profile_id, scope, created_at) VALUES ${rows(PEOPLE, (n) => `(${100 + n}, ${n}, 'public', '${dateOf(n)}')`)}`,
  ],
  write: (draw) => {
    const [a, b] = [1 + draw(12), 1 + draw(12)];
    const scope = ['public', 'unlisted', 'private', 'direct', 'archived'][draw(5)];
    return oneOf(
      draw,
      () =>
        `INSERT INTO statuses (profile_id, scope, created_at) VALUES (${a}, '${scope}', '${dateOf(draw(500))}'), (${b}, 'public', '${dateOf(draw(500))}')`,
      () =>
        `INSERT INTO statuses (profile_id, scope, in_reply_to_id, created_at) VALUES (${a}, 'public', 101, '2026-03-01')`,
      () => `UPDATE statuses SET scope = '${scope}' WHERE profile_id = ${a} AND id % 3 = ${draw(3)}`,
      () =>
        `UPDATE statuses SET deleted_at = ${draw(3) ? 'NULL' : 'NOW()'} WHERE profile_id IN (${a}, ${b}) AND id % 2 = ${draw(2)}`,
      () => `DELETE FROM statuses WHERE profile_id = ${a} ORDER BY created_at DESC LIMIT 1`,
      () => `DELETE FROM followers WHERE profile_id = ${a} AND following_id % 5 = ${draw(5)}`,
      () =>
        `INSERT IGNORE INTO followers (profile_id, following_id, created_at) SELECT ${a}, id, '2026-01-02' FROM profiles WHERE id % 2 = ${draw(2)}`,
      () =>
        `INSERT INTO followers (profile_id, following_id) VALUES (${a}, ${b}) ON DUPLICATE KEY UPDATE following_id = following_id`,
      () =>
        `UPDATE IGNORE followers SET following_id = ${b} WHERE profile_id = ${a} AND following_id = ${1 + draw(12)}`,
      () => `UPDATE profiles SET status = ${draw(4) ? 'NULL' : "'suspended'"} WHERE id = ${a}`,
      () =>
        `UPDATE profiles JOIN statuses ON statuses.profile_id = profiles.id SET profiles.deleted_at = ${draw(4) ? 'NULL' : 'NOW()'}, statuses.caption = 'x' WHERE profiles.id = ${a}`,
      () =>
        `REPLACE INTO user_filters (user_id, filterable_id, filterable_type, filter_type) VALUES (${a}, ${b}, 'App\\\\Profile', '${draw(2) ? 'mute' : 'block'}')`,
      () =>
        `INSERT IGNORE INTO user_filters (user_id, filterable_id, filterable_type, filter_type) VALUES (${a}, ${b}, 'App\\\\Instance', 'block')`,
      () => `DELETE FROM user_filters WHERE user_id % 2 = ${draw(2)} OR filterable_id = ${b}`,
      () =>
        `DELETE followers, user_filters FROM followers JOIN user_filters ON user_filters.user_id = followers.profile_id WHERE followers.profile_id = ${a}`,
    );
  },
  truncate: ['TRUNCATE user_filters'],
  answer: `
    SELECT p.id, CAST(MAX(UNIX_TIMESTAMP(s.created_at)) * 1000 AS SIGNED) AS at
    FROM followers AS f JOIN profiles AS p ON p.id = f.following_id JOIN statuses AS s ON s.profile_id = p.id
    WHERE f.profile_id = ? AND p.id <> ? AND p.deleted_at IS NULL AND COALESCE(p.status, '') <> 'suspended'
      AND NOT EXISTS (SELECT * FROM user_filters AS u WHERE u.user_id = ? AND u.filterable_id = p.id AND u.filterable_type = 'App\\\\Profile')
      AND NOT EXISTS (SELECT * FROM user_filters AS u WHERE u.user_id = p.id AND u.filterable_id = ? AND u.filterable_type = 'App\\\\Profile' AND u.filter_type = 'block')
      AND s.deleted_at IS NULL AND s.in_reply_to_id IS NULL AND s.reblog_of_id IS NULL AND s.scope IN ('public', 'unlisted', 'private')
    GROUP BY p.id`,
};

const DOMAINS = ['bad.example', 'good.example'];

export const MASTODON: SiteScript = {
  users: PEOPLE,
  more: [
    `INSERT IGNORE INTO accounts (id, username, domain, created_at) VALUES ${rows(PEOPLE, (n) => `(${n}, 'a${n}', ${n % 3 ? 'NULL' : `'${DOMAINS[n % 2]}'`}, '2026-01-01')`)}`,
    `INSERT IGNORE INTO follows (account_id, target_account_id, created_at, updated_at) VALUES ${pairs.map(([a, b]) => `(${a}, ${b}, '2026-01-01', '2026-01-01')`)}`,
    `INSERT INTO statuses (id, text, account_id, visibility, created_at, updated_at) VALUES ${rows(PEOPLE, (n) => `(${100 + n}, '', ${n}, 0, '${dateOf(n)}', '2026-01-01')`)}`,
    `INSERT IGNORE INTO account_domain_blocks (account_id, domain) VALUES ${rows(PEOPLE, (n) => `(${n}, '${DOMAINS[n % 2]}')`)}`,
  ],
  write: (draw) => {
    const [a, b, id] = [1 + draw(12), 1 + draw(12), 1_000 + draw(1_000_000)];
    return oneOf(
      draw,
      () =>
        `INSERT IGNORE INTO statuses (id, text, account_id, visibility, created_at, updated_at) VALUES (${id}, '', ${a}, ${draw(5)}, '${dateOf(draw(500))}', NOW()), (${id + 1}, '', ${b}, 0, '${dateOf(draw(500))}', NOW())`,
      () =>
        `INSERT IGNORE INTO statuses (id, text, account_id, reblog_of_id, created_at, updated_at) SELECT ${id}, '', ${a}, MAX(id), '2026-03-01', NOW() FROM statuses WHERE account_id = ${b}`,
      () =>
        `INSERT IGNORE INTO statuses (id, text, account_id, reply, in_reply_to_id, created_at, updated_at) SELECT ${id}, '', ${a}, TRUE, MAX(id), '2026-03-02', NOW() FROM statuses WHERE account_id = ${b}`,
      () =>
        `REPLACE INTO statuses (id, text, account_id, visibility, created_at, updated_at) VALUES (${100 + a}, 'again', ${a}, ${draw(3)}, '${dateOf(draw(500))}', NOW())`,
      () => `UPDATE statuses SET visibility = ${draw(5)} WHERE account_id IN (${a}, ${b}) AND id % 2 = ${draw(2)}`,
      () =>
        `UPDATE statuses SET deleted_at = IF(deleted_at IS NULL, NOW(), NULL) WHERE account_id = ${a} AND id % 3 = ${draw(3)}`,
      () => `DELETE FROM statuses WHERE account_id = ${a} ORDER BY created_at DESC LIMIT 1`,
      () =>
        `INSERT IGNORE INTO follows (account_id, target_account_id, created_at, updated_at) SELECT ${a}, id, NOW(), NOW() FROM accounts WHERE id % 2 = ${draw(2)}`,
      () => `DELETE FROM follows WHERE account_id = ${a} AND target_account_id % 3 = ${draw(3)}`,
      () => `UPDATE accounts SET suspended_at = ${draw(3) ? 'NULL' : 'NOW()'} WHERE id IN (${a}, ${b})`,
      () => `UPDATE accounts SET domain = ${draw(2) ? 'NULL' : `'${DOMAINS[draw(2)]}'`} WHERE id IN (${a}, ${b})`,
      () =>
        `INSERT INTO blocks (account_id, target_account_id) VALUES (${a}, ${b}) ON DUPLICATE KEY UPDATE target_account_id = ${1 + draw(12)}`,
      () => `INSERT IGNORE INTO mutes (account_id, target_account_id) VALUES (${a}, ${b}), (${b}, ${a})`,
      () =>
        `DELETE blocks, mutes FROM blocks LEFT JOIN mutes ON mutes.account_id = blocks.account_id WHERE blocks.account_id IN (${a}, ${b})`,
      () => `DELETE FROM mutes WHERE account_id = ${a}`,
      () => `INSERT IGNORE INTO account_domain_blocks (account_id, domain) VALUES (${a}, '${DOMAINS[draw(2)]}')`,
      () => `DELETE FROM account_domain_blocks WHERE account_id = ${a}`,
    );
  },
  truncate: ['TRUNCATE mutes'],
  answer: `
    SELECT p.id, MAX(TIMESTAMPDIFF(SECOND, '1970-01-01', s.created_at) * 1000) AS at
    FROM follows AS f JOIN accounts AS p ON p.id = f.target_account_id JOIN statuses AS s ON s.account_id = p.id
    WHERE f.account_id = ? AND p.id <> ? AND p.suspended_at IS NULL
      AND NOT EXISTS (SELECT * FROM blocks AS b WHERE b.account_id = ? AND b.target_account_id = p.id)
      AND NOT EXISTS (SELECT * FROM blocks AS b WHERE b.account_id = p.id AND b.target_account_id = ?)
      AND NOT EXISTS (SELECT * FROM mutes AS m WHERE m.account_id = ? AND m.target_account_id = p.id)
      AND NOT EXISTS (SELECT * FROM account_domain_blocks AS d WHERE d.account_id = ? AND d.domain = p.domain)
      AND s.deleted_at IS NULL AND s.reblog_of_id IS NULL AND NOT s.reply AND s.visibility IN (0, 1, 2)
    GROUP BY p.id`,
};

const OWNERS = [7, 8];
const CONTACTS = Array.from({ length: 24 }, (_, n) => 101 + n);
const ownerOf = (contact: number): number | undefined => OWNERS[contact % 2];

/** Its contacts have ids that no user has: RECENCY_SEPARATE_IDS is for those that have. */
export const FRIENDICA: SiteScript = {
  users: OWNERS,
  more: [
    'DELETE FROM contact WHERE id = uid',
    `INSERT INTO contact (id, uid, created, name, rel, pending) VALUES ${rows(CONTACTS, (n) => `(${n}, ${ownerOf(n)}, '2026-01-01', 'c${n}', ${2 + (n % 2)}, 0)`)}`,
    `INSERT INTO \`post-user\` (\`uri-id\`, created, received, visible, uid, \`contact-id\`) VALUES ${rows(CONTACTS, (n) => `(${n}, '${dateOf(n)}', NOW(), 1, ${ownerOf(n)}, ${n})`)}`,
  ],
  write: (draw) => {
    const [a, b] = [101 + draw(24), 101 + draw(24)];
    const post = (contact: number, uri: number) =>
      `(${uri}, '${dateOf(draw(500))}', NOW(), ${draw(4) ? 0 : 6}, ${draw(4) ? 1 : 0}, ${ownerOf(contact)}, ${contact})`;
    return oneOf(
      draw,
      () =>
        `INSERT IGNORE INTO \`post-user\` (\`uri-id\`, created, received, gravity, visible, uid, \`contact-id\`) VALUES ${post(a, 1_000 + draw(1_000_000))}, ${post(b, 1_000 + draw(1_000_000))}`,
      () =>
        `REPLACE INTO \`post-user\` (\`uri-id\`, created, received, gravity, visible, uid, \`contact-id\`) VALUES ${post(a, a)}`,
      () => `UPDATE \`post-user\` SET deleted = ${draw(2)} WHERE \`contact-id\` IN (${a}, ${b})`,
      () =>
        `UPDATE \`post-user\` SET visible = 1, hidden = ${draw(2)} WHERE \`contact-id\` = ${a} AND id % 2 = ${draw(2)}`,
      () => `DELETE FROM \`post-user\` WHERE \`contact-id\` = ${a} ORDER BY created DESC LIMIT 1`,
      () => `UPDATE contact SET blocked = ${draw(2)} WHERE id IN (${a}, ${b})`,
      () => `UPDATE contact SET pending = ${draw(2)}, archive = ${draw(3) ? 0 : 1} WHERE id = ${a}`,
      () => `UPDATE contact SET rel = ${1 + draw(3)} WHERE id = ${a}`,
      () =>
        `UPDATE contact JOIN \`post-user\` ON \`post-user\`.\`contact-id\` = contact.id SET contact.deleted = ${draw(2)}, \`post-user\`.deleted = 0 WHERE contact.id = ${a}`,
      () =>
        `INSERT INTO contact (id, uid, created, rel, pending) VALUES (${a}, ${ownerOf(a)}, NOW(), 2, 0) ON DUPLICATE KEY UPDATE pending = 0, deleted = 0, rel = 2`,
      () => `DELETE FROM contact WHERE id = ${a}`,
    );
  },
  truncate: ['TRUNCATE `post-user`'],
  answer: `
    SELECT c.id, MAX(TIMESTAMPDIFF(SECOND, '1970-01-01', p.created) * 1000) AS at
    FROM contact AS c JOIN \`post-user\` AS p ON p.\`contact-id\` = c.id
    WHERE c.uid = ? AND NOT c.self AND NOT c.blocked AND NOT c.readonly AND NOT c.archive AND NOT c.pending AND NOT c.deleted AND c.rel IN (2, 3)
      AND p.gravity = 0 AND p.visible AND NOT p.deleted AND NOT p.hidden
    GROUP BY c.id`,
};
