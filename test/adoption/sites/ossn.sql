-- The shape of Open Source Social Network's tables: friends are two rows, and who may see a post is a row of text two tables away.
CREATE TABLE ossn_users (
  guid BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, type TEXT NOT NULL, username VARCHAR(50) NOT NULL, activation VARCHAR(32) NOT NULL DEFAULT '',
  time_created INT NOT NULL DEFAULT 0);
CREATE TABLE ossn_relationships (
  relation_id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, relation_from BIGINT NOT NULL, relation_to BIGINT NOT NULL, type VARCHAR(30) NOT NULL,
  time INT NOT NULL, KEY relation_from (relation_from), KEY relation_to (relation_to), KEY type (type));
CREATE TABLE ossn_object (
  guid BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, owner_guid BIGINT NOT NULL, type VARCHAR(20) NOT NULL, time_created INT NOT NULL,
  title LONGTEXT NOT NULL, description LONGTEXT NOT NULL, subtype VARCHAR(30) NOT NULL, KEY owner_guid (owner_guid), KEY type (type));
CREATE TABLE ossn_entities (
  guid BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, owner_guid BIGINT NOT NULL, type VARCHAR(20) NOT NULL, subtype VARCHAR(50) NOT NULL,
  time_created INT NOT NULL DEFAULT 0, active INT NOT NULL DEFAULT 1, KEY owner_guid (owner_guid), KEY subtype (subtype));
CREATE TABLE ossn_entities_metadata (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, guid BIGINT NOT NULL, value LONGTEXT NOT NULL, KEY guid (guid));
INSERT INTO ossn_users (guid, type, username) VALUES
  (1, 'normal', 'ann'), (2, 'normal', 'bob'), (3, 'normal', 'cem'), (4, 'normal', 'dot'), (5, 'admin', 'eve');
INSERT INTO ossn_relationships (relation_from, relation_to, type, time) VALUES
  (1, 2, 'friend:request', 1767225600), (2, 1, 'friend:request', 1767225600), (1, 3, 'friend:request', 1767225600), (4, 1, 'friend:request', 1767225600),
  (1, 5, 'friend:request', 1767225600), (5, 1, 'friend:request', 1767225600), (5, 1, 'userblock', 1767225600), (1, 7, 'group:join', 1767225600);
INSERT INTO ossn_object (guid, owner_guid, type, time_created, title, description, subtype) VALUES
  (21, 2, 'user', 1767268800, '', 'a bridge', 'wall'), (22, 2, 'user', 1767355200, '', 'for friends', 'wall'), (23, 2, 'user', 1767441600, '', 'for me', 'wall'),
  (24, 7, 'group', 1767528000, '', 'in a group', 'wall');
INSERT INTO ossn_entities (guid, owner_guid, type, subtype) VALUES
  (31, 21, 'object', 'access'), (32, 22, 'object', 'access'), (33, 23, 'object', 'access'), (34, 24, 'object', 'access'), (35, 1, 'user', 'gender');
INSERT INTO ossn_entities_metadata (guid, value) VALUES (31, '2'), (32, '3'), (33, '1'), (34, '2'), (35, 'female');
