-- The shape of Elgg's tables: people, posts and groups are entities; relationships of all of them are in one table; a ban is a row of names and values.
CREATE TABLE entities (
  guid BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, type ENUM('object','user','group','site') NOT NULL, subtype VARCHAR(50) NOT NULL,
  owner_guid BIGINT UNSIGNED NOT NULL, container_guid BIGINT UNSIGNED NOT NULL DEFAULT 0, access_id INT NOT NULL, time_created INT NOT NULL,
  time_updated INT NOT NULL DEFAULT 0, enabled ENUM('yes','no') NOT NULL DEFAULT 'yes', KEY (type), KEY (owner_guid), KEY (access_id));
CREATE TABLE entity_relationships (
  id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, guid_one BIGINT UNSIGNED NOT NULL, relationship VARCHAR(255) NOT NULL, guid_two BIGINT UNSIGNED NOT NULL,
  time_created INT NOT NULL, UNIQUE KEY (guid_one, relationship, guid_two), KEY (relationship), KEY (guid_two),
  FOREIGN KEY (guid_one) REFERENCES entities (guid) ON DELETE CASCADE, FOREIGN KEY (guid_two) REFERENCES entities (guid) ON DELETE CASCADE);
CREATE TABLE metadata (
  id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, entity_guid BIGINT UNSIGNED NOT NULL, name VARCHAR(255) NOT NULL, value LONGTEXT NOT NULL,
  value_type ENUM('integer','text','bool') NOT NULL DEFAULT 'text', KEY entity_guid (entity_guid), KEY name (name(50)));
INSERT INTO entities (guid, type, subtype, owner_guid, access_id, time_created) VALUES
  (1, 'user', 'user', 0, 2, 1767225600), (2, 'user', 'user', 0, 2, 1767225600), (3, 'user', 'user', 0, 2, 1767225600), (4, 'user', 'user', 0, 2, 1767225600),
  (5, 'user', 'user', 0, 2, 1767225600), (9, 'group', 'group', 2, 2, 1767225600), (21, 'object', 'blog', 2, 2, 1767268800), (22, 'object', 'blog', 2, 0, 1767355200),
  (23, 'object', 'file', 2, 1, 1767441600), (24, 'object', 'comment', 2, 2, 1767528000), (25, 'object', 'blog', 2, 7, 1767614400), (26, 'object', 'blog', 3, 2, 1767268800);
INSERT INTO entities (guid, type, subtype, owner_guid, access_id, time_created, enabled) VALUES (27, 'object', 'blog', 2, 2, 1767700800, 'no');
INSERT INTO entity_relationships (guid_one, relationship, guid_two, time_created) VALUES
  (1, 'friend', 2, 1767225600), (1, 'friend', 3, 1767225600), (1, 'friend', 4, 1767225600), (2, 'friend', 1, 1767225600), (1, 'member', 9, 1767225600),
  (1, 'friendrequest', 5, 1767225600);
INSERT INTO metadata (entity_guid, name, value) VALUES (1, 'username', 'ann'), (2, 'username', 'bob'), (3, 'banned', 'yes'), (3, 'banned', 'yes'), (21, 'title', 'a bridge');
