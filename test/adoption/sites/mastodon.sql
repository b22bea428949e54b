-- As much of Mastodon's schema as decides who has whom as a contact and which posts there are, in MySQL's types. Written from its
-- documented columns.
CREATE TABLE accounts (
  id BIGINT NOT NULL PRIMARY KEY, username VARCHAR(255) NOT NULL, domain VARCHAR(255) NULL, locked BOOLEAN NOT NULL DEFAULT FALSE,
  silenced_at DATETIME NULL, suspended_at DATETIME NULL, created_at DATETIME NOT NULL, KEY (domain));
CREATE TABLE users (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, email VARCHAR(255) NOT NULL, account_id BIGINT NOT NULL, disabled BOOLEAN NOT NULL DEFAULT FALSE,
  FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE);
CREATE TABLE follows (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, created_at DATETIME NOT NULL, updated_at DATETIME NOT NULL, account_id BIGINT NOT NULL,
  target_account_id BIGINT NOT NULL, show_reblogs BOOLEAN NOT NULL DEFAULT TRUE, notify BOOLEAN NOT NULL DEFAULT FALSE,
  UNIQUE KEY (account_id, target_account_id), KEY (target_account_id, account_id),
  FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE, FOREIGN KEY (target_account_id) REFERENCES accounts (id) ON DELETE CASCADE);
CREATE TABLE follow_requests (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, account_id BIGINT NOT NULL, target_account_id BIGINT NOT NULL, UNIQUE KEY (account_id, target_account_id));
CREATE TABLE tag_follows (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, tag_id BIGINT NOT NULL, account_id BIGINT NOT NULL);
CREATE TABLE blocks (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, account_id BIGINT NOT NULL, target_account_id BIGINT NOT NULL,
  UNIQUE KEY (account_id, target_account_id), KEY (target_account_id),
  FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE, FOREIGN KEY (target_account_id) REFERENCES accounts (id) ON DELETE CASCADE);
CREATE TABLE mutes (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, account_id BIGINT NOT NULL, target_account_id BIGINT NOT NULL, expires_at DATETIME NULL,
  UNIQUE KEY (account_id, target_account_id), KEY (target_account_id),
  FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE, FOREIGN KEY (target_account_id) REFERENCES accounts (id) ON DELETE CASCADE);
CREATE TABLE conversation_mutes (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, conversation_id BIGINT NOT NULL, account_id BIGINT NOT NULL);
CREATE TABLE account_domain_blocks (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, domain VARCHAR(255) NOT NULL, account_id BIGINT NOT NULL, UNIQUE KEY (account_id, domain));
CREATE TABLE statuses (
  id BIGINT NOT NULL PRIMARY KEY, uri VARCHAR(255) NULL, text TEXT NOT NULL, created_at DATETIME NOT NULL, updated_at DATETIME NOT NULL,
  in_reply_to_id BIGINT NULL, reblog_of_id BIGINT NULL, visibility INT NOT NULL DEFAULT 0, account_id BIGINT NOT NULL,
  reply BOOLEAN NOT NULL DEFAULT FALSE, in_reply_to_account_id BIGINT NULL, deleted_at DATETIME NULL,
  KEY (account_id, id, visibility, updated_at),
  FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE,
  FOREIGN KEY (in_reply_to_id) REFERENCES statuses (id) ON DELETE SET NULL,
  FOREIGN KEY (in_reply_to_account_id) REFERENCES accounts (id) ON DELETE SET NULL,
  FOREIGN KEY (reblog_of_id) REFERENCES statuses (id) ON DELETE CASCADE);
CREATE TABLE media_attachments (id BIGINT NOT NULL PRIMARY KEY, status_id BIGINT NULL, account_id BIGINT NULL, created_at DATETIME NOT NULL);
INSERT INTO accounts (id, username, domain, suspended_at, created_at) VALUES
  (1, 'ann', NULL, NULL, '2026-01-01'), (2, 'bob', NULL, NULL, '2026-01-01'), (3, 'cem', NULL, '2026-01-05', '2026-01-01'),
  (4, 'dot', 'bad.example', NULL, '2026-01-01'), (5, 'eve', 'good.example', NULL, '2026-01-01'), (6, 'fay', NULL, NULL, '2026-01-01'), (7, 'gus', NULL, NULL, '2026-01-01');
INSERT INTO follows (account_id, target_account_id, created_at, updated_at) VALUES
  (1, 2, '2026-01-01', '2026-01-01'), (1, 3, '2026-01-01', '2026-01-01'), (1, 4, '2026-01-01', '2026-01-01'), (1, 5, '2026-01-01', '2026-01-01'),
  (1, 6, '2026-01-01', '2026-01-01'), (1, 7, '2026-01-01', '2026-01-01'), (2, 1, '2026-01-01', '2026-01-01');
INSERT INTO blocks (account_id, target_account_id) VALUES (6, 1);
INSERT INTO mutes (account_id, target_account_id) VALUES (1, 7);
INSERT INTO account_domain_blocks (account_id, domain) VALUES (1, 'bad.example');
INSERT INTO statuses (id, text, created_at, updated_at, reblog_of_id, visibility, account_id, deleted_at) VALUES
  (21, 'hello', '2026-01-01 12:00:00', '2026-01-01', NULL, 0, 2, NULL), (22, '', '2026-01-02 12:00:00', '2026-01-01', NULL, 2, 2, NULL),
  (23, '', '2026-01-03 12:00:00', '2026-01-01', NULL, 3, 2, NULL), (24, '', '2026-01-04 12:00:00', '2026-01-01', 21, 0, 2, NULL),
  (25, '', '2026-01-05 12:00:00', '2026-01-01', NULL, 0, 2, '2026-01-06'), (26, '', '2025-12-31 12:00:00', '2026-01-01', NULL, 1, 2, NULL);
