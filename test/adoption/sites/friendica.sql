-- As much of Friendica's schema as decides who has whom as a contact and which posts there are. Written from its documented columns.
-- Each user has rows of their own for contacts and for the posts that they receive; rows of uid 0 are what everybody shares.
CREATE TABLE `user` (
  uid MEDIUMINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, username VARCHAR(255) NOT NULL, nickname VARCHAR(255) NOT NULL,
  blocked BOOLEAN NOT NULL DEFAULT FALSE, account_removed BOOLEAN NOT NULL DEFAULT FALSE, register_date DATETIME NOT NULL);
CREATE TABLE `item-uri` (id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, uri VARBINARY(383) NOT NULL, guid VARBINARY(255) NULL, UNIQUE KEY (uri));
CREATE TABLE contact (
  id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, uid MEDIUMINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'Owner User id', created DATETIME NOT NULL,
  name VARCHAR(255) NOT NULL DEFAULT '', nurl VARBINARY(383) NOT NULL DEFAULT '', `uri-id` INT UNSIGNED NULL,
  blocked BOOLEAN NOT NULL DEFAULT FALSE, readonly BOOLEAN NOT NULL DEFAULT FALSE, archive BOOLEAN NOT NULL DEFAULT FALSE,
  self BOOLEAN NOT NULL DEFAULT FALSE COMMENT '1 if the contact is the user him/her self', rel TINYINT UNSIGNED NOT NULL DEFAULT 0,
  hidden BOOLEAN NOT NULL DEFAULT FALSE, pending BOOLEAN NOT NULL DEFAULT TRUE, deleted BOOLEAN NOT NULL DEFAULT FALSE, `last-item` DATETIME NULL,
  KEY self_uid (self, uid), KEY uid_name (uid, name(190)), KEY (`uri-id`));
CREATE TABLE `user-contact` (
  cid INT UNSIGNED NOT NULL, uid MEDIUMINT UNSIGNED NOT NULL, blocked BOOLEAN NULL, ignored BOOLEAN NULL, collapsed BOOLEAN NULL,
  PRIMARY KEY (uid, cid), KEY (cid), FOREIGN KEY (cid) REFERENCES contact (id) ON DELETE CASCADE, FOREIGN KEY (uid) REFERENCES `user` (uid) ON DELETE CASCADE);
CREATE TABLE post (
  `uri-id` INT UNSIGNED NOT NULL PRIMARY KEY, gravity TINYINT UNSIGNED NOT NULL DEFAULT 0, created DATETIME NOT NULL, received DATETIME NOT NULL,
  `owner-id` INT UNSIGNED NOT NULL, `author-id` INT UNSIGNED NOT NULL, private TINYINT UNSIGNED NOT NULL DEFAULT 0 COMMENT '0=public, 1=private, 2=unlisted',
  visible BOOLEAN NOT NULL DEFAULT FALSE, deleted BOOLEAN NOT NULL DEFAULT FALSE, KEY (`owner-id`), KEY (`author-id`));
CREATE TABLE `post-content` (`uri-id` INT UNSIGNED NOT NULL PRIMARY KEY, title VARCHAR(255) NOT NULL DEFAULT '', body MEDIUMTEXT NULL);
CREATE TABLE `post-user` (
  id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, `uri-id` INT UNSIGNED NOT NULL, created DATETIME NOT NULL, received DATETIME NOT NULL,
  gravity TINYINT UNSIGNED NOT NULL DEFAULT 0, `owner-id` INT UNSIGNED NOT NULL DEFAULT 0, `author-id` INT UNSIGNED NOT NULL DEFAULT 0,
  private TINYINT UNSIGNED NOT NULL DEFAULT 0 COMMENT '0=public, 1=private, 2=unlisted', visible BOOLEAN NOT NULL DEFAULT FALSE,
  deleted BOOLEAN NOT NULL DEFAULT FALSE, uid MEDIUMINT UNSIGNED NOT NULL, `contact-id` INT UNSIGNED NOT NULL DEFAULT 0, hidden BOOLEAN NOT NULL DEFAULT FALSE,
  UNIQUE KEY `uid_uri-id` (uid, `uri-id`), KEY `contact-id` (`contact-id`), KEY `author-id_created` (`author-id`, created));
INSERT INTO `user` (uid, username, nickname, register_date) VALUES (7, 'Ann', 'ann', '2026-01-01'), (8, 'Bob', 'bob', '2026-01-01');
INSERT INTO contact (id, uid, created, name, self, rel, pending, blocked, archive) VALUES
  (1, 7, '2026-01-01', 'Ann', 1, 0, 0, 0, 0), (2, 8, '2026-01-01', 'Bob', 1, 0, 0, 0, 0), (3, 0, '2026-01-01', 'Cem', 0, 0, 0, 0, 0),
  (4, 7, '2026-01-01', 'Cem', 0, 3, 0, 0, 0), (5, 7, '2026-01-01', 'Dot', 0, 1, 0, 0, 0), (6, 7, '2026-01-01', 'Eve', 0, 2, 1, 0, 0),
  (7, 7, '2026-01-01', 'Fay', 0, 2, 0, 0, 0), (8, 7, '2026-01-01', 'Gus', 0, 3, 0, 1, 0), (9, 8, '2026-01-01', 'Cem', 0, 2, 0, 0, 0);
INSERT INTO `post-user` (id, `uri-id`, created, received, gravity, private, visible, deleted, uid, `contact-id`) VALUES
  (21, 1, '2026-01-01 12:00:00', '2026-01-01 12:00:01', 0, 0, 1, 0, 0, 3), (22, 1, '2026-01-01 12:00:00', '2026-01-01 12:00:01', 0, 0, 1, 0, 7, 4),
  (23, 2, '2026-01-02 12:00:00', '2026-01-02 12:00:01', 0, 1, 1, 0, 7, 4), (24, 3, '2026-01-03 12:00:00', '2026-01-03 12:00:01', 6, 0, 1, 0, 7, 4),
  (25, 4, '2026-01-04 12:00:00', '2026-01-04 12:00:01', 0, 0, 1, 1, 7, 4);
