-- A small site of no particular software whose photos may be for friends only.
CREATE TABLE users (id BIGINT UNSIGNED NOT NULL PRIMARY KEY, name VARCHAR(40) NOT NULL);
CREATE TABLE contacts (
  user_id BIGINT UNSIGNED NOT NULL, contact_id BIGINT UNSIGNED NOT NULL, is_friend TINYINT NOT NULL DEFAULT 0, deleted_at DATETIME NULL,
  PRIMARY KEY (user_id, contact_id));
CREATE TABLE photos (
  id BIGINT UNSIGNED NOT NULL PRIMARY KEY, user_id BIGINT UNSIGNED NOT NULL, title VARCHAR(80) NOT NULL DEFAULT '',
  privacy ENUM('public','friends','private') NOT NULL DEFAULT 'public', created_at DATETIME NOT NULL);
INSERT INTO users (id, name) VALUES (1, 'ann'), (2, 'bob'), (3, 'cem');
INSERT INTO contacts (user_id, contact_id, is_friend, deleted_at) VALUES
  (1, 2, 1, NULL), (1, 3, 0, NULL), (2, 1, 1, NULL), (3, 1, 1, '2026-01-01');
