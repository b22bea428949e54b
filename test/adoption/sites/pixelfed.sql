-- As much of Pixelfed's schema as decides who has whom as a contact and which posts there are. Written from its documented columns.
CREATE TABLE users (
  id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, profile_id BIGINT UNSIGNED NULL, name VARCHAR(255) NULL,
  email VARCHAR(255) NOT NULL, status VARCHAR(255) NULL, created_at TIMESTAMP NULL, updated_at TIMESTAMP NULL, deleted_at TIMESTAMP NULL);
CREATE TABLE profiles (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, user_id INT UNSIGNED NULL, domain VARCHAR(255) NULL, username VARCHAR(255) NULL,
  status VARCHAR(255) NULL, name VARCHAR(255) NULL, is_private TINYINT(1) NOT NULL DEFAULT 0,
  created_at TIMESTAMP NULL, updated_at TIMESTAMP NULL, deleted_at TIMESTAMP NULL, KEY (status), KEY (username));
CREATE TABLE followers (
  id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, profile_id BIGINT UNSIGNED NOT NULL, following_id BIGINT UNSIGNED NOT NULL,
  local_profile TINYINT(1) NOT NULL DEFAULT 1, created_at TIMESTAMP NULL, updated_at TIMESTAMP NULL,
  UNIQUE KEY (profile_id, following_id), KEY (created_at));
CREATE TABLE follow_requests (
  id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, follower_id BIGINT UNSIGNED NOT NULL, following_id BIGINT UNSIGNED NOT NULL,
  is_rejected TINYINT(1) NOT NULL DEFAULT 0, created_at TIMESTAMP NULL, updated_at TIMESTAMP NULL);
CREATE TABLE hashtag_follows (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, user_id BIGINT UNSIGNED NOT NULL, profile_id BIGINT UNSIGNED NOT NULL,
  hashtag_id BIGINT UNSIGNED NOT NULL, created_at TIMESTAMP NULL, updated_at TIMESTAMP NULL);
CREATE TABLE contacts (
  id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, user_id BIGINT UNSIGNED NOT NULL, response_requested TINYINT(1) NOT NULL DEFAULT 0,
  message TEXT NOT NULL, response TEXT NOT NULL, read_at TIMESTAMP NULL, created_at TIMESTAMP NULL);
CREATE TABLE user_filters (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, user_id BIGINT UNSIGNED NOT NULL, filterable_id BIGINT UNSIGNED NOT NULL,
  filterable_type VARCHAR(191) NOT NULL, filter_type VARCHAR(191) NOT NULL DEFAULT 'block', created_at TIMESTAMP NULL, updated_at TIMESTAMP NULL,
  UNIQUE KEY filter_unique (user_id, filterable_id, filterable_type, filter_type), KEY (user_id), KEY (filter_type));
CREATE TABLE statuses (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, uri VARCHAR(255) NULL, caption TEXT NULL, rendered TEXT NULL,
  profile_id BIGINT UNSIGNED NULL, type VARCHAR(255) NULL, in_reply_to_id BIGINT UNSIGNED NULL, reblog_of_id BIGINT UNSIGNED NULL,
  is_nsfw TINYINT(1) NOT NULL DEFAULT 0, scope VARCHAR(255) NOT NULL DEFAULT 'public',
  visibility ENUM('public','unlisted','private','direct','draft') NOT NULL DEFAULT 'public', likes_count BIGINT UNSIGNED NOT NULL DEFAULT 0,
  in_reply_to_profile_id BIGINT UNSIGNED NULL, created_at TIMESTAMP NULL, updated_at TIMESTAMP NULL, deleted_at TIMESTAMP NULL,
  KEY (profile_id), KEY (created_at), KEY (visibility));
CREATE TABLE media (
  id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, status_id BIGINT UNSIGNED NULL, profile_id BIGINT UNSIGNED NULL, user_id BIGINT UNSIGNED NULL,
  media_path VARCHAR(255) NOT NULL, mime VARCHAR(255) NULL, created_at TIMESTAMP NULL, updated_at TIMESTAMP NULL, deleted_at TIMESTAMP NULL);
INSERT INTO profiles (id, username, status, is_private, deleted_at) VALUES
  (1, 'ann', NULL, 0, NULL), (2, 'bob', NULL, 0, NULL), (3, 'cem', 'suspended', 0, NULL), (4, 'dot', NULL, 1, NULL),
  (5, 'eve', NULL, 0, NULL), (6, 'fay', NULL, 0, NULL), (7, 'gus', NULL, 0, '2026-01-02 00:00:00');
INSERT INTO followers (profile_id, following_id, created_at) VALUES
  (1, 2, '2026-01-01 00:00:00'), (1, 3, NULL), (1, 4, NULL), (1, 5, NULL), (1, 6, NULL), (1, 7, NULL), (1, 1, NULL), (1, 99, NULL), (2, 1, NULL), (5, 1, NULL);
INSERT INTO user_filters (user_id, filterable_id, filterable_type, filter_type) VALUES
  (1, 6, 'App\\Profile', 'mute'), (5, 1, 'App\\Profile', 'block'), (1, 2, 'App\\Instance', 'block');
INSERT INTO statuses (id, caption, profile_id, in_reply_to_id, scope, visibility, created_at, deleted_at) VALUES
  (21, 'a bridge', 2, NULL, 'public', 'public', '2026-01-01 12:00:00', NULL), (22, NULL, 2, NULL, 'private', 'private', '2026-01-02 12:00:00', NULL),
  (23, NULL, 2, NULL, 'direct', 'direct', '2026-01-03 12:00:00', NULL), (24, NULL, 2, 21, 'public', 'public', '2026-01-04 12:00:00', NULL),
  (25, NULL, 2, NULL, 'public', 'public', '2026-01-05 12:00:00', '2026-01-06 00:00:00'), (26, NULL, 2, NULL, 'unlisted', 'unlisted', '2025-12-31 12:00:00', NULL),
  (27, NULL, 2, NULL, 'archived', 'draft', '2026-01-07 12:00:00', NULL);
