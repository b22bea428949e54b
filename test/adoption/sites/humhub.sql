-- The shape of HumHub's tables: one table follows people, spaces and posts; what is shown is said by `content`, not by `post`.
CREATE TABLE user (
  id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, username VARCHAR(50) NOT NULL, status TINYINT NOT NULL DEFAULT 1, visibility TINYINT NOT NULL DEFAULT 1,
  contentcontainer_id INT NULL, created_at DATETIME NULL, KEY (contentcontainer_id));
CREATE TABLE space (
  id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, name VARCHAR(45) NOT NULL, visibility TINYINT NOT NULL DEFAULT 1, contentcontainer_id INT NULL);
CREATE TABLE contentcontainer (
  id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, class VARCHAR(60) NOT NULL, pk INT NULL, owner_user_id INT NULL, UNIQUE KEY (class, pk));
CREATE TABLE contentcontainer_blocked_users (
  contentcontainer_id INT NOT NULL, user_id INT NOT NULL, PRIMARY KEY (contentcontainer_id, user_id),
  FOREIGN KEY (contentcontainer_id) REFERENCES contentcontainer (id), FOREIGN KEY (user_id) REFERENCES user (id));
CREATE TABLE user_follow (
  id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, object_model VARCHAR(100) NOT NULL, object_id INT NOT NULL, user_id INT NOT NULL,
  send_notifications TINYINT NULL DEFAULT 1, KEY (user_id), KEY (object_model, object_id), FOREIGN KEY (user_id) REFERENCES user (id));
CREATE TABLE user_friendship (
  id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, user_id INT NOT NULL, friend_user_id INT NOT NULL, created_at DATETIME NULL,
  UNIQUE KEY (user_id, friend_user_id), FOREIGN KEY (user_id) REFERENCES user (id), FOREIGN KEY (friend_user_id) REFERENCES user (id));
CREATE TABLE post (
  id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, message TEXT NULL, created_at DATETIME NULL, created_by INT NULL, updated_at DATETIME NULL);
CREATE TABLE comment (
  id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, message TEXT NULL, object_model VARCHAR(100) NOT NULL, object_id INT NOT NULL,
  created_at DATETIME NULL, created_by INT NULL);
CREATE TABLE content (
  id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, object_model VARCHAR(100) NOT NULL, object_id INT NOT NULL, visibility TINYINT NULL, pinned TINYINT NULL,
  archived TINYINT NULL, state TINYINT NOT NULL DEFAULT 1, created_at DATETIME NULL, created_by INT NULL, stream_sort_date DATETIME NULL,
  contentcontainer_id INT NULL, UNIQUE KEY (object_model, object_id), KEY (created_by), FOREIGN KEY (created_by) REFERENCES user (id));
INSERT INTO user (id, username, status, visibility, contentcontainer_id) VALUES
  (1, 'ann', 1, 1, 1), (2, 'bob', 1, 2, 2), (3, 'cem', 0, 1, 3), (4, 'dot', 1, 1, 4), (5, 'eve', 1, 1, 5), (6, 'fay', 3, 1, 6);
INSERT INTO space (id, name, contentcontainer_id) VALUES (2, 'birds', 112), (5, 'trains', 115);
INSERT INTO contentcontainer (id, class, pk, owner_user_id) SELECT id, 'humhub\\modules\\user\\models\\User', id, id FROM user;
INSERT INTO contentcontainer (id, class, pk, owner_user_id) SELECT contentcontainer_id, 'humhub\\modules\\space\\models\\Space', id, 1 FROM space;
INSERT INTO contentcontainer_blocked_users (contentcontainer_id, user_id) VALUES (4, 1);
INSERT INTO user_follow (object_model, object_id, user_id) VALUES
  ('humhub\\modules\\user\\models\\User', 2, 1), ('humhub\\modules\\user\\models\\User', 3, 1), ('humhub\\modules\\user\\models\\User', 4, 1),
  ('humhub\\modules\\user\\models\\User', 6, 1), ('humhub\\modules\\user\\models\\User', 1, 2), ('humhub\\modules\\space\\models\\Space', 2, 1),
  ('humhub\\modules\\space\\models\\Space', 5, 1), ('humhub\\modules\\post\\models\\Post', 2, 1), ('humhub\\modules\\post\\models\\Post', 2, 1);
INSERT INTO user_friendship (user_id, friend_user_id) VALUES (1, 2), (2, 1);
INSERT INTO post (id, message, created_at, created_by) VALUES
  (21, 'a bridge', '2026-01-01 12:00:00', 2), (22, 'a draft', '2026-01-02 12:00:00', 2), (23, 'for members', '2026-01-03 12:00:00', 2), (24, 'gone', '2026-01-04 12:00:00', 2);
INSERT INTO comment (message, object_model, object_id, created_at, created_by) VALUES ('nice', 'humhub\\modules\\post\\models\\Post', 21, '2026-01-05 12:00:00', 2);
INSERT INTO content (id, object_model, object_id, visibility, archived, state, created_at, created_by, stream_sort_date, contentcontainer_id) VALUES
  (121, 'humhub\\modules\\post\\models\\Post', 21, 1, 0, 1, '2026-01-01 12:00:00', 2, '2026-01-01 12:00:00', 2),
  (122, 'humhub\\modules\\post\\models\\Post', 22, 1, 0, 0, '2026-01-02 12:00:00', 2, '2026-01-02 12:00:00', 2),
  (123, 'humhub\\modules\\post\\models\\Post', 23, 0, 0, 1, '2026-01-03 12:00:00', 2, '2026-01-03 12:00:00', 2),
  (124, 'humhub\\modules\\post\\models\\Post', 24, 1, 0, 100, '2026-01-04 12:00:00', 2, '2026-01-04 12:00:00', 2),
  (125, 'humhub\\modules\\polls\\models\\Poll', 1, 1, 0, 1, '2026-01-05 12:00:00', 2, '2026-01-05 12:00:00', 2);
