/** As site-scripts.ts, for sites whose files of `recency init` need decisions. */
import { dateOf, oneOf, PEOPLE, pairs, rows, type SiteScript } from './site-scripts.ts';

const USER = 'humhub\\\\modules\\\\user\\\\models\\\\User';
const SPACE = 'humhub\\\\modules\\\\space\\\\models\\\\Space';
const POST = 'humhub\\\\modules\\\\post\\\\models\\\\Post';
const secondOf = (n: number) => 1_770_000_000 + n * 1_000;

const contentRow = (id: number, by: number, n: number, visibility = 1, state = 1) =>
  `(${id}, '${POST}', ${id}, ${visibility}, 0, ${state}, '${dateOf(n)}', ${by}, '${dateOf(n)}', ${by})`;
const CONTENT =
  'INTO content (id, object_model, object_id, visibility, archived, state, created_at, created_by, stream_sort_date, contentcontainer_id) VALUES';

export const HUMHUB: SiteScript = {
  users: PEOPLE,
  more: [
    `INSERT IGNORE INTO user (id, username, status, contentcontainer_id) VALUES ${rows(PEOPLE, (n) => `(${n}, 'u${n}', 1, ${n})`)}`,
    `INSERT IGNORE INTO contentcontainer (id, class, pk, owner_user_id) VALUES ${rows(PEOPLE, (n) => `(${n}, '${USER}', ${n}, ${n})`)}`,
    'DELETE FROM user_follow',
    `INSERT INTO user_follow (object_model, object_id, user_id) VALUES ${pairs.map(([a, b]) => `('${USER}', ${b}, ${a})`)}`,
    `INSERT ${CONTENT} ${rows(PEOPLE, (n) => contentRow(1_000 + n, n, n))}`,
  ],
  write: (draw) => {
    const [a, b, id] = [1 + draw(12), 1 + draw(12), 2_000 + draw(1_000_000)];
    return oneOf(
      draw,
      () =>
        `INSERT IGNORE ${CONTENT} ${contentRow(id, a, draw(500), draw(3), draw(2))}, ${contentRow(id + 1, b, draw(500))}`,
      () => `UPDATE content SET state = ${[0, 1, 1, 10, 100][draw(5)]} WHERE created_by = ${a} AND id % 3 = ${draw(3)}`,
      () => `UPDATE content SET visibility = ${draw(3)} WHERE created_by IN (${a}, ${b}) AND id % 2 = ${draw(2)}`,
      () => `UPDATE content SET archived = ${draw(2)} WHERE created_by = ${a} AND id % 2 = ${draw(2)}`,
      () => `DELETE FROM content WHERE created_by = ${a} ORDER BY created_at DESC LIMIT 1`,
      () => `UPDATE content SET created_by = ${b} WHERE created_by = ${a} AND id % 4 = ${draw(4)}`,
      () =>
        `INSERT INTO user_follow (object_model, object_id, user_id) SELECT '${USER}', u.id, ${a} FROM user AS u WHERE u.id % 3 = ${draw(3)} AND NOT EXISTS (SELECT * FROM user_follow AS f WHERE f.object_model = '${USER}' AND f.object_id = u.id AND f.user_id = ${a})`,
      () =>
        `INSERT INTO user_follow (object_model, object_id, user_id) VALUES ('${SPACE}', ${b}, ${a}), ('${SPACE}', ${b}, ${a})`,
      () => `DELETE FROM user_follow WHERE user_id = ${a} AND object_id % 4 = ${draw(4)}`,
      () => `UPDATE user SET status = ${[0, 1, 1, 1, 3][draw(5)]} WHERE id IN (${a}, ${b})`,
      () => `UPDATE user SET visibility = ${1 + draw(3)} WHERE id = ${a}`,
      () => `INSERT IGNORE INTO contentcontainer_blocked_users (contentcontainer_id, user_id) VALUES (${a}, ${b})`,
      () => `DELETE FROM contentcontainer_blocked_users WHERE contentcontainer_id = ${a} OR user_id = ${b}`,
    );
  },
  truncate: ['TRUNCATE contentcontainer_blocked_users'],
  answer: `
    SELECT p.id, MAX(TIMESTAMPDIFF(SECOND, '1970-01-01', c.created_at) * 1000) AS at
    FROM user_follow AS f JOIN user AS p ON p.id = f.object_id JOIN content AS c ON c.created_by = p.id
    WHERE f.object_model = '${USER}' AND f.user_id = ? AND p.id <> ? AND p.status = 1 AND p.visibility <> 3
      AND NOT EXISTS (SELECT * FROM contentcontainer_blocked_users AS b JOIN contentcontainer AS k ON k.id = b.contentcontainer_id
        WHERE k.class = '${USER}' AND k.pk = p.id AND b.user_id = ?)
      AND c.object_model = '${POST}' AND c.state = 1 AND c.visibility = 1 AND COALESCE(c.archived, 0) = 0
    GROUP BY p.id`,
};

const activityRow = (by: number, n: number, type = 'activity_update', hidden = 0) =>
  `(${by}, 'activity', '${type}', '', '${dateOf(n)}', ${hidden})`;
const ACTIVITY = 'INSERT INTO wp_bp_activity (user_id, component, type, content, date_recorded, hide_sitewide) VALUES';
const areNoFriends = (a: string, b: string) =>
  `NOT EXISTS (SELECT * FROM wp_bp_friends AS f WHERE (f.initiator_user_id = ${a} AND f.friend_user_id = ${b}) OR (f.initiator_user_id = ${b} AND f.friend_user_id = ${a}))`;

/** Of a friendship only the side of whoever began it: one row has both sides, and the view has one direction. */
export const BUDDYPRESS: SiteScript = {
  users: PEOPLE,
  more: [
    `INSERT IGNORE INTO wp_users (ID, user_login) VALUES ${rows(PEOPLE, (n) => `(${n}, 'u${n}')`)}`,
    'DELETE FROM wp_bp_friends',
    `INSERT INTO wp_bp_friends (initiator_user_id, friend_user_id, is_confirmed, date_created) VALUES ${pairs
      .filter(([a, b]) => a !== b && !pairs.some(([c, d]) => c === b && d === a && c < a))
      .map(([a, b]) => `(${a}, ${b}, 1, '2026-01-01')`)}`,
    `${ACTIVITY} ${rows(PEOPLE, (n) => activityRow(n, n))}`,
  ],
  write: (draw) => {
    const [a, b] = [1 + draw(12), 1 + draw(12)];
    return oneOf(
      draw,
      () => `${ACTIVITY} ${activityRow(a, draw(500))}, ${activityRow(b, draw(500), 'activity_update', draw(2))}`,
      () => `${ACTIVITY} ${activityRow(a, 900, 'last_activity')}, ${activityRow(b, 900, 'friendship_created')}`,
      () => `UPDATE wp_bp_activity SET is_spam = ${draw(2)} WHERE user_id = ${a} AND id % 2 = ${draw(2)}`,
      () =>
        `UPDATE wp_bp_activity SET hide_sitewide = ${draw(2)} WHERE user_id IN (${a}, ${b}) AND id % 3 = ${draw(3)}`,
      () =>
        `UPDATE wp_bp_activity SET component = '${draw(2) ? 'groups' : 'blogs'}' WHERE user_id = ${a} AND id % 3 = ${draw(3)}`,
      () => `DELETE FROM wp_bp_activity WHERE user_id = ${a} AND id % 5 = ${draw(5)}`,
      () =>
        `INSERT INTO wp_bp_friends (initiator_user_id, friend_user_id, is_confirmed, date_created) SELECT ${a}, u.ID, ${draw(2)}, NOW() FROM wp_users AS u WHERE u.ID % 3 = ${draw(3)} AND u.ID <> ${a} AND ${areNoFriends(String(a), 'u.ID')}`,
      () => `UPDATE wp_bp_friends SET is_confirmed = 1 WHERE friend_user_id = ${a}`,
      () => `UPDATE wp_bp_friends SET is_limited = ${draw(2)} WHERE initiator_user_id = ${a}`,
      () => `DELETE FROM wp_bp_friends WHERE ${a} IN (initiator_user_id, friend_user_id) AND id % 3 = ${draw(3)}`,
      () => `UPDATE wp_users SET user_status = ${draw(3) ? 0 : 1} WHERE ID IN (${a}, ${b})`,
    );
  },
  truncate: ['TRUNCATE wp_bp_activity'],
  answer: `
    SELECT p.ID AS id, MAX(TIMESTAMPDIFF(SECOND, '1970-01-01', a.date_recorded) * 1000) AS at
    FROM wp_bp_friends AS f JOIN wp_users AS p ON p.ID = f.friend_user_id JOIN wp_bp_activity AS a ON a.user_id = p.ID
    WHERE f.initiator_user_id = ? AND f.is_confirmed = 1 AND p.user_status = 0
      AND a.type = 'activity_update' AND a.component IN ('activity', 'groups') AND NOT a.hide_sitewide AND NOT a.is_spam
    GROUP BY p.ID`,
};

const entityRow = (guid: number, by: number, n: number, access = 2, subtype = 'blog') =>
  `(${guid}, 'object', '${subtype}', ${by}, ${access}, ${secondOf(n)})`;
const ENTITY = 'INTO entities (guid, type, subtype, owner_guid, access_id, time_created) VALUES';

export const ELGG: SiteScript = {
  users: [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12],
  more: [
    `INSERT IGNORE INTO entities (guid, type, subtype, owner_guid, access_id, time_created) VALUES ${rows([6, 7, 8, 10, 11, 12], (n) => `(${n}, 'user', 'user', 0, 2, 1767225600)`)}`,
    `INSERT IGNORE INTO entity_relationships (guid_one, relationship, guid_two, time_created) VALUES ${pairs.map(([a, b]) => `(${a}, 'friend', ${b}, 1767225600)`)}`,
    `INSERT ${ENTITY} ${rows(PEOPLE, (n) => entityRow(1_000 + n, n, n))}`,
  ],
  write: (draw) => {
    const [a, b, guid] = [1 + draw(12), 1 + draw(12), 2_000 + draw(1_000_000)];
    return oneOf(
      draw,
      () =>
        `INSERT IGNORE ${ENTITY} ${entityRow(guid, a, draw(500), draw(4))}, ${entityRow(guid + 1, b, draw(500), 2, draw(2) ? 'comment' : 'file')}`,
      () =>
        `UPDATE entities SET enabled = '${draw(2) ? 'yes' : 'no'}' WHERE owner_guid = ${a} AND guid % 3 = ${draw(3)}`,
      () => `UPDATE entities SET access_id = ${draw(4)} WHERE owner_guid IN (${a}, ${b}) AND guid % 2 = ${draw(2)}`,
      () => `UPDATE entities SET enabled = '${draw(3) ? 'yes' : 'no'}' WHERE guid IN (${a}, ${b})`,
      () => `DELETE FROM entities WHERE type = 'object' AND owner_guid = ${a} ORDER BY time_created DESC LIMIT 1`,
      () =>
        `INSERT IGNORE INTO entity_relationships (guid_one, relationship, guid_two, time_created) SELECT ${a}, '${draw(3) ? 'friend' : 'member'}', guid, 1 FROM entities WHERE type = 'user' AND guid % 3 = ${draw(3)}`,
      () => `DELETE FROM entity_relationships WHERE guid_one = ${a} AND guid_two % 4 = ${draw(4)}`,
      () =>
        `UPDATE IGNORE entity_relationships SET relationship = 'friend' WHERE relationship = 'friendrequest' AND guid_one = ${a}`,
      () =>
        `INSERT INTO metadata (entity_guid, name, value) VALUES (${a}, 'banned', 'yes'), (${a}, 'banned', 'yes'), (${b}, 'title', 'yes')`,
      () => `UPDATE metadata SET value = '${draw(2) ? 'yes' : 'no'}' WHERE name = 'banned' AND entity_guid = ${a}`,
      () => `DELETE FROM metadata WHERE name = 'banned' AND entity_guid % 2 = ${draw(2)}`,
    );
  },
  truncate: ['TRUNCATE metadata', 'TRUNCATE banned_people', 'TRUNCATE entity_relationships'],
  answer: `
    SELECT p.guid AS id, MAX(o.time_created) * 1000 AS at
    FROM entity_relationships AS r JOIN entities AS p ON p.guid = r.guid_two JOIN entities AS o ON o.owner_guid = p.guid
    WHERE r.guid_one = ? AND r.relationship = 'friend' AND p.guid <> ? AND p.type = 'user' AND p.enabled = 'yes'
      AND NOT EXISTS (SELECT * FROM metadata AS m WHERE m.entity_guid = p.guid AND m.name = 'banned' AND m.value = 'yes')
      AND o.type = 'object' AND o.subtype IN ('blog', 'file') AND o.enabled = 'yes' AND o.access_id IN (1, 2)
    GROUP BY p.guid`,
};

const isRelated = (from: string, to: string, type: string) =>
  `EXISTS (SELECT * FROM ossn_relationships AS r WHERE r.relation_from = ${from} AND r.relation_to = ${to} AND r.type = '${type}')`;
const related = (from: number, to: string, type: string) =>
  `INSERT INTO ossn_relationships (relation_from, relation_to, type, time) SELECT ${from}, u.guid, '${type}', 1 FROM ossn_users AS u WHERE ${to} AND NOT ${isRelated(String(from), 'u.guid', type)}`;
const postRows = (guids: readonly number[]) => [
  `INSERT IGNORE INTO ossn_object (guid, owner_guid, type, time_created, title, description, subtype) VALUES ${rows(guids, (n) => `(${n}, ${1 + (n % 12)}, 'user', ${secondOf(n)}, '', '', 'wall')`)}`,
  `INSERT IGNORE INTO ossn_entities (guid, owner_guid, type, subtype) VALUES ${rows(guids, (n) => `(${n}, ${n}, 'object', 'access')`)}`,
  `INSERT IGNORE INTO ossn_entities_metadata (id, guid, value) VALUES ${rows(guids, (n) => `(${n}, ${n}, '${1 + (n % 3)}')`)}`,
];

export const OSSN: SiteScript = {
  users: PEOPLE,
  more: [
    `INSERT IGNORE INTO ossn_users (guid, type, username) VALUES ${rows(PEOPLE, (n) => `(${n}, 'normal', 'u${n}')`)}`,
    'DELETE FROM ossn_relationships',
    `INSERT INTO ossn_relationships (relation_from, relation_to, type, time) VALUES ${pairs.map(([a, b]) => `(${a}, ${b}, 'friend:request', 1)`)}`,
    ...postRows(Array.from({ length: 200 }, (_, n) => 1_000 + n)),
  ],
  write: (draw) => {
    const [a, b] = [1 + draw(12), 1 + draw(12)];
    return oneOf(
      draw,
      () => `UPDATE ossn_entities_metadata SET value = '${1 + draw(3)}' WHERE guid > 900 AND guid % 12 = ${draw(12)}`,
      () => `UPDATE ossn_entities_metadata SET value = '${draw(2) ? 2 : 3}' WHERE guid = ${1_000 + draw(200)}`,
      () => `DELETE FROM ossn_object WHERE owner_guid = ${a} ORDER BY time_created DESC LIMIT 1`,
      () => `DELETE FROM ossn_object WHERE guid IN (${1_000 + draw(200)}, ${1_000 + draw(200)})`,
      () => related(a, `u.guid % 2 = ${draw(2)}`, 'friend:request'),
      () => related(a, `u.guid = ${b}`, 'userblock'),
      () => related(a, `u.guid = ${b}`, 'group:join'),
      () => `DELETE FROM ossn_relationships WHERE type = 'userblock' AND relation_from % 2 = ${draw(2)}`,
      () =>
        `DELETE FROM ossn_relationships WHERE type = 'friend:request' AND relation_from = ${a} AND relation_to % 3 = ${draw(3)}`,
    );
  },
  truncate: ['TRUNCATE ossn_relationships'],
  answer: `
    SELECT p.guid AS id, MAX(o.time_created) * 1000 AS at
    FROM ossn_relationships AS f JOIN ossn_users AS p ON p.guid = f.relation_to JOIN ossn_object AS o ON o.owner_guid = p.guid
    JOIN ossn_entities AS e ON e.owner_guid = o.guid JOIN ossn_entities_metadata AS m ON m.guid = e.guid
    WHERE f.relation_from = ? AND f.type = 'friend:request' AND p.guid <> ?
      AND ${isRelated('p.guid', '?', 'friend:request')} AND NOT ${isRelated('p.guid', '?', 'userblock')} AND NOT ${isRelated('?', 'p.guid', 'userblock')}
      AND o.type = 'user' AND o.subtype = 'wall' AND e.type = 'object' AND e.subtype = 'access' AND m.value IN ('2', '3')
    GROUP BY p.guid`,
};
