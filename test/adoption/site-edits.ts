/**
 * What the engineer of each site changes in the files of `recency init` before they are run: every TODO decided, and what only
 * somebody who knows the site can add.
 */
import type { SiteName } from './adopted-site.ts';

/** One change in one place of a file, where `from` stands once. */
export interface Edit {
  readonly file: 'indexes.sql' | 'views.sql' | 'mapping.yaml';
  readonly from: string | RegExp;
  readonly to: string;
}

const inViews = (from: Edit['from'], to: string): Edit => ({ file: 'views.sql', from, to });
const inIndexes = (from: Edit['from'], to: string): Edit => ({ file: 'indexes.sql', from, to });
const inMapping = (from: Edit['from'], to: string): Edit => ({ file: 'mapping.yaml', from, to });

/** More tables of the mapping, at its end. */
const mapped = (entry: string): Edit => inMapping(/\n$/, `\n${entry}\n`);

const HUMHUB: readonly Edit[] = [
  inViews('person.`status` IN (TODO)', 'person.`status` IN (1)'),
  inViews('person.`visibility` IN (TODO)', 'person.`visibility` IN (1, 2)'),
  inViews('AND TODO', 'AND blocked.user_id IS NULL'),
  inViews(
    'LEFT JOIN `user` AS person ON person.`id` = c.`object_id`',
    `LEFT JOIN user AS person ON person.id = c.object_id
LEFT JOIN contentcontainer_blocked_users AS blocked
  ON blocked.contentcontainer_id = person.contentcontainer_id AND blocked.user_id = c.user_id`,
  ),
  inIndexes('`state` IN (TODO)', '`state` IN (1)'),
  inIndexes('`visibility` IN (TODO)', '`visibility` IN (1)'),
  inMapping("['status', 'visibility']", "['status', 'visibility', 'contentcontainer_id']"),
  mapped('  - table: contentcontainer_blocked_users\n    hint: user\n    user: user_id'),
];

const BUDDYPRESS: readonly Edit[] = [
  inViews('person.`user_status` IN (TODO)', 'person.`user_status` IN (0)'),
  inIndexes('`component` IN (TODO)', "`component` IN ('activity', 'groups')"),
  inIndexes('`type` IN (TODO)', "`type` IN ('activity_update')"),
  inIndexes(', TODO, NULL)', ', 0, NULL)'),
];

/** Who is banned, once each, kept by triggers: the rows of names and values have no unique key, and a ban may be there twice. */
const BANNED_PEOPLE = `
CREATE TABLE banned_people (guid BIGINT UNSIGNED NOT NULL PRIMARY KEY);
INSERT INTO banned_people SELECT DISTINCT entity_guid FROM metadata WHERE name = 'banned' AND value = 'yes';
CREATE TRIGGER ban_added AFTER INSERT ON metadata FOR EACH ROW
  INSERT IGNORE INTO banned_people SELECT NEW.entity_guid FROM DUAL WHERE NEW.name = 'banned' AND NEW.value = 'yes';
CREATE TRIGGER ban_changed AFTER UPDATE ON metadata FOR EACH ROW
  INSERT IGNORE INTO banned_people SELECT NEW.entity_guid FROM DUAL WHERE NEW.name = 'banned' AND NEW.value = 'yes';
CREATE TRIGGER ban_lifted AFTER UPDATE ON metadata FOR EACH ROW
  DELETE FROM banned_people WHERE guid = OLD.entity_guid
    AND NOT EXISTS (SELECT * FROM metadata AS m WHERE m.entity_guid = OLD.entity_guid AND m.name = 'banned' AND m.value = 'yes');
CREATE TRIGGER ban_removed AFTER DELETE ON metadata FOR EACH ROW
  DELETE FROM banned_people WHERE guid = OLD.entity_guid
    AND NOT EXISTS (SELECT * FROM metadata AS m WHERE m.entity_guid = OLD.entity_guid AND m.name = 'banned' AND m.value = 'yes');
`;

const ELGG: readonly Edit[] = [
  inViews('    AND person.`access_id` IN (TODO)\n', ''),
  inViews('AND TODO', 'AND banned.guid IS NULL'),
  inViews(
    'LEFT JOIN `entities` AS person ON person.`guid` = c.`guid_two`',
    `LEFT JOIN entities AS person ON person.guid = c.guid_two
LEFT JOIN banned_people AS banned ON banned.guid = c.guid_two`,
  ),
  inIndexes('`type` IN (TODO)', "`type` IN ('object')"),
  inIndexes('`subtype` IN (TODO)', "`subtype` IN ('blog', 'file')"),
  inIndexes('`access_id` IN (TODO)', '`access_id` IN (1, 2)'),
  inIndexes(/\n$/, BANNED_PEOPLE),
  mapped('  - table: banned_people\n    hint: user\n    user: guid'),
];

/** Posts on walls with their audience, kept by triggers: what says who may see one is two tables away. */
const WALL_POSTS = `CREATE TABLE wall_posts (
  guid BIGINT NOT NULL PRIMARY KEY, owner_guid BIGINT NOT NULL, audience TINYINT NOT NULL, uploaded_ms BIGINT NOT NULL,
  KEY (owner_guid, audience, uploaded_ms, guid));
CREATE OR REPLACE VIEW wall_accesses AS
  SELECT o.guid, o.owner_guid, CASE m.value WHEN '2' THEN 0 WHEN '3' THEN 1 ELSE 4 END AS audience, o.time_created * 1000 AS uploaded_ms, m.id
  FROM ossn_entities_metadata AS m JOIN ossn_entities AS e ON e.guid = m.guid JOIN ossn_object AS o ON o.guid = e.owner_guid
  WHERE e.type = 'object' AND e.subtype = 'access' AND o.type = 'user' AND o.subtype = 'wall';
INSERT INTO wall_posts SELECT guid, owner_guid, audience, uploaded_ms FROM wall_accesses;
CREATE TRIGGER wall_access_added AFTER INSERT ON ossn_entities_metadata FOR EACH ROW
  REPLACE INTO wall_posts SELECT guid, owner_guid, audience, uploaded_ms FROM wall_accesses WHERE id = NEW.id;
CREATE TRIGGER wall_access_changed AFTER UPDATE ON ossn_entities_metadata FOR EACH ROW
  REPLACE INTO wall_posts SELECT guid, owner_guid, audience, uploaded_ms FROM wall_accesses WHERE id = NEW.id;
CREATE TRIGGER wall_post_gone AFTER DELETE ON ossn_object FOR EACH ROW DELETE FROM wall_posts WHERE guid = OLD.guid;
`;

const OSSN: readonly Edit[] = [
  inViews('c.`type` IN (TODO)', "c.`type` = 'friend:request'"),
  inViews(
    'LEFT JOIN `ossn_users` AS person ON person.`guid` = c.`relation_to`',
    `LEFT JOIN ossn_users AS person ON person.guid = c.relation_to
LEFT JOIN ossn_relationships AS back
  ON back.relation_from = c.relation_to AND back.relation_to = c.relation_from AND back.type = 'friend:request'
LEFT JOIN ossn_relationships AS block
  ON block.relation_from = c.relation_from AND block.relation_to = c.relation_to AND block.type = 'userblock'
LEFT JOIN ossn_relationships AS blocked
  ON blocked.relation_from = c.relation_to AND blocked.relation_to = c.relation_from AND blocked.type = 'userblock'`,
  ),
  inViews(
    '  ) AS related',
    '    AND back.relation_id IS NOT NULL AND block.relation_id IS NULL AND blocked.relation_id IS NULL\n  ) AS related',
  ),
  inViews('1 AS sees', '1 | 2 AS sees'),
  inViews(
    /SELECT\n {2}p\.`guid` AS id[\s\S]*$/,
    "SELECT p.guid AS id, p.owner_guid AS owner_id, p.audience, p.uploaded_ms AS uploaded_at, '' AS title FROM wall_posts AS p;\n",
  ),
  inIndexes(/ALTER TABLE `ossn_object`[\s\S]*$/, WALL_POSTS),
  inMapping(/ {2}- table: 'ossn_object'[\s\S]*$/, '  - table: wall_posts\n    hint: photo\n    owner: owner_guid\n'),
];

/** Nothing that it does not know is a rule of the page: which of a user's rows says that a contact is blocked. */
const FRIENDICA: readonly Edit[] = [inViews('    AND TODO\n', '')];

export const EDITS: Readonly<Record<SiteName, readonly Edit[]>> = {
  ...{ pixelfed: [], mastodon: [], friends: [], friendica: FRIENDICA },
  ...{ humhub: HUMHUB, buddypress: BUDDYPRESS, elgg: ELGG, ossn: OSSN },
};

/** The files as they are run. @throws when a place is not there, or not once */
export function edited(file: Edit['file'], text: string, edits: readonly Edit[]): string {
  return edits
    .filter((edit) => edit.file === file)
    .reduce((done, { from, to }) => {
      const parts = done.split(from);
      if (parts.length !== 2) throw new Error(`${from} is ${parts.length - 1} times in ${file}:\n${done}`);
      return parts.join(to);
    }, text);
}
