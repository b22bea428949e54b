-- The shape of BuddyPress's tables: one row for both friends, and an activity stream of which only some types are uploads.
CREATE TABLE wp_users (
  ID BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, user_login VARCHAR(60) NOT NULL DEFAULT '', user_status INT NOT NULL DEFAULT 0,
  user_registered DATETIME NOT NULL DEFAULT '2026-01-01 00:00:00');
CREATE TABLE wp_usermeta (
  umeta_id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, user_id BIGINT UNSIGNED NOT NULL DEFAULT 0, meta_key VARCHAR(255) NULL,
  meta_value LONGTEXT NULL, KEY (user_id));
CREATE TABLE wp_bp_friends (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, initiator_user_id BIGINT NOT NULL, friend_user_id BIGINT NOT NULL, is_confirmed TINYINT(1) DEFAULT 0,
  is_limited TINYINT(1) DEFAULT 0, date_created DATETIME NOT NULL, KEY initiator_user_id (initiator_user_id), KEY friend_user_id (friend_user_id));
CREATE TABLE wp_bp_activity (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, user_id BIGINT NOT NULL, component VARCHAR(75) NOT NULL, type VARCHAR(75) NOT NULL,
  content LONGTEXT NOT NULL, item_id BIGINT NOT NULL DEFAULT 0, date_recorded DATETIME NOT NULL, hide_sitewide TINYINT(1) DEFAULT 0,
  is_spam TINYINT(1) NOT NULL DEFAULT 0, KEY date_recorded (date_recorded), KEY user_id (user_id), KEY type (type));
INSERT INTO wp_users (ID, user_login, user_status) VALUES (1, 'ann', 0), (2, 'bob', 0), (3, 'cem', 1), (4, 'dot', 0), (5, 'eve', 0), (6, 'fay', 0);
INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES (1, 'nickname', 'ann'), (1, 'wp_capabilities', 'a:0:{}');
INSERT INTO wp_bp_friends (initiator_user_id, friend_user_id, is_confirmed, date_created) VALUES
  (1, 2, 1, '2026-01-01'), (1, 3, 1, '2026-01-01'), (1, 4, 0, '2026-01-01'), (5, 1, 1, '2026-01-01'), (2, 6, 1, '2026-01-01');
INSERT INTO wp_bp_activity (id, user_id, component, type, content, date_recorded, hide_sitewide, is_spam) VALUES
  (21, 2, 'activity', 'activity_update', 'a bridge', '2026-01-01 12:00:00', 0, 0), (22, 2, 'members', 'last_activity', '', '2026-01-09 12:00:00', 0, 0),
  (23, 2, 'groups', 'activity_update', 'in a hidden group', '2026-01-03 12:00:00', 1, 0), (24, 2, 'activity', 'activity_update', 'spam', '2026-01-04 12:00:00', 0, 1),
  (25, 2, 'friends', 'friendship_created', '', '2026-01-05 12:00:00', 0, 0), (26, 5, 'activity', 'activity_update', 'a tree', '2026-01-02 12:00:00', 0, 0);
