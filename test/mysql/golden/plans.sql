-- contacts · shared · column
-- contacts · shared · column · cursors

  SELECT TABLE_NAME, COLUMN_NAME, DATA_TYPE, CHARACTER_MAXIMUM_LENGTH FROM information_schema.COLUMNS
  WHERE TABLE_SCHEMA = DATABASE()
    AND TABLE_NAME IN (SELECT v.name FROM JSON_TABLE(?, '$[*]' COLUMNS (name VARCHAR(64) PATH '$')) AS v)
  ORDER BY TABLE_NAME, ORDINAL_POSITION
;
EXPLAIN FORMAT=TRADITIONAL 
      SELECT c.contact_id, c.related, c.last_upload_at, c.sees
      FROM JSON_TABLE('["1","2"]', '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS wanted
      STRAIGHT_JOIN recency_contacts AS c ON c.user_id = 1 AND c.contact_id = wanted.id
;
EXPLAIN FORMAT=TRADITIONAL SELECT c.contact_id, c.last_upload_at, c.sees FROM recency_contacts AS c WHERE c.user_id = 1 AND c.related
;
EXPLAIN FORMAT=TRADITIONAL SELECT c.user_id FROM recency_contacts AS c WHERE c.contact_id = 1
;
EXPLAIN FORMAT=TRADITIONAL 
      SELECT p.id FROM recency_photos AS p
      WHERE p.owner_id = 1 AND p.audience = 0 ORDER BY p.uploaded_at DESC, p.id DESC LIMIT 10
;
EXPLAIN FORMAT=TRADITIONAL 
      SELECT (SELECT CAST(FLOOR(LEAST(p.uploaded_at, 9007199254740991)) AS SIGNED) FROM recency_photos AS p
           WHERE p.owner_id = wanted.id AND p.audience = 0 AND p.uploaded_at >= 1
           ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1)
      FROM JSON_TABLE('["1","2"]', '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS wanted

-- contacts · shared · column · named bits, extra columns
-- contacts · shared · column · cursors · named bits, extra columns
-- contacts · separate · column
-- contacts · separate · column · named bits, extra columns
-- contacts · separate · column · cursors
-- contacts · separate · column · cursors · named bits, extra columns
-- contacts · shared · column · no since
-- contacts · shared · column · cursors · no since
sha256 f564de3002e8dd59788a57a9c6c34b3a6f6caf0fb67b32a4496fa0790533dd41

-- contacts · shared · photos
-- contacts · shared · photos · cursors
-- contacts · shared · photos · cursors · named bits, extra columns

  SELECT TABLE_NAME, COLUMN_NAME, DATA_TYPE, CHARACTER_MAXIMUM_LENGTH FROM information_schema.COLUMNS
  WHERE TABLE_SCHEMA = DATABASE()
    AND TABLE_NAME IN (SELECT v.name FROM JSON_TABLE(?, '$[*]' COLUMNS (name VARCHAR(64) PATH '$')) AS v)
  ORDER BY TABLE_NAME, ORDINAL_POSITION
;
EXPLAIN FORMAT=TRADITIONAL 
      SELECT c.contact_id, c.related, c.sees
      FROM JSON_TABLE('["1","2"]', '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS wanted
      STRAIGHT_JOIN recency_contacts AS c ON c.user_id = 1 AND c.contact_id = wanted.id
;
EXPLAIN FORMAT=TRADITIONAL SELECT c.contact_id, c.sees FROM recency_contacts AS c WHERE c.user_id = 1 AND c.related
;
EXPLAIN FORMAT=TRADITIONAL SELECT c.user_id FROM recency_contacts AS c WHERE c.contact_id = 1
;
EXPLAIN FORMAT=TRADITIONAL 
      SELECT p.id FROM recency_photos AS p
      WHERE p.owner_id = 1 AND p.audience = 0 ORDER BY p.uploaded_at DESC, p.id DESC LIMIT 10
;
EXPLAIN FORMAT=TRADITIONAL 
      SELECT (SELECT CAST(FLOOR(LEAST(p.uploaded_at, 9007199254740991)) AS SIGNED) FROM recency_photos AS p
           WHERE p.owner_id = wanted.id AND p.audience = 0 AND p.uploaded_at >= 1
           ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1)
      FROM JSON_TABLE('["1","2"]', '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS wanted

-- contacts · shared · photos · named bits, extra columns
-- contacts · separate · photos
-- contacts · separate · photos · named bits, extra columns
-- contacts · separate · photos · cursors
-- contacts · separate · photos · cursors · named bits, extra columns
-- contacts · shared · photos · no since
-- contacts · shared · photos · cursors · no since
-- contacts · shared · photos of 2 audiences
-- contacts · shared · photos of 2 audiences · cursors
-- contacts · separate · photos of 2 audiences
-- contacts · separate · photos of 2 audiences · cursors
-- contacts · shared · photos of 4 audiences
-- contacts · shared · photos of 4 audiences · cursors
-- contacts · separate · photos of 4 audiences
-- contacts · separate · photos of 4 audiences · cursors
-- contacts · shared · photos of 63 audiences
-- contacts · shared · photos of 63 audiences · cursors
-- contacts · separate · photos of 63 audiences
-- contacts · separate · photos of 63 audiences · cursors
sha256 bef8a1b1aa225135df147e6b0051b5ec79c81c8cb82e5cb2803efcd663a8cec8

-- groups · shared · column
-- groups · shared · column · cursors

  SELECT TABLE_NAME, COLUMN_NAME, DATA_TYPE, CHARACTER_MAXIMUM_LENGTH FROM information_schema.COLUMNS
  WHERE TABLE_SCHEMA = DATABASE()
    AND TABLE_NAME IN (SELECT v.name FROM JSON_TABLE(?, '$[*]' COLUMNS (name VARCHAR(64) PATH '$')) AS v)
  ORDER BY TABLE_NAME, ORDINAL_POSITION
;
EXPLAIN FORMAT=TRADITIONAL 
      SELECT c.group_id, c.related, c.last_upload_at, c.sees
      FROM JSON_TABLE('["1","2"]', '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS wanted
      STRAIGHT_JOIN recency_groups AS c ON c.user_id = 1 AND c.group_id = wanted.id
;
EXPLAIN FORMAT=TRADITIONAL SELECT c.group_id, c.last_upload_at, c.sees FROM recency_groups AS c WHERE c.user_id = 1 AND c.related
;
EXPLAIN FORMAT=TRADITIONAL SELECT c.user_id FROM recency_groups AS c WHERE c.group_id = 1
;
EXPLAIN FORMAT=TRADITIONAL 
      SELECT p.id FROM recency_group_photos AS p
      WHERE p.group_id = 1 AND p.audience = 0 ORDER BY p.uploaded_at DESC, p.id DESC LIMIT 10
;
EXPLAIN FORMAT=TRADITIONAL 
      SELECT (SELECT CAST(FLOOR(LEAST(p.uploaded_at, 9007199254740991)) AS SIGNED) FROM recency_group_photos AS p
           WHERE p.group_id = wanted.id AND p.audience = 0 AND p.uploaded_at >= 1
           ORDER BY p.group_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1)
      FROM JSON_TABLE('["1","2"]', '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS wanted

-- groups · shared · column · named bits, extra columns
-- groups · shared · column · cursors · named bits, extra columns
-- groups · shared · column · no since
-- groups · shared · column · cursors · no since
sha256 1a9800a98e20c499154440b2c209dee8179b56b754a5ea36bf3be39d66af7e38

-- groups · shared · photos
-- groups · shared · photos · cursors
-- groups · shared · photos · cursors · named bits, extra columns

  SELECT TABLE_NAME, COLUMN_NAME, DATA_TYPE, CHARACTER_MAXIMUM_LENGTH FROM information_schema.COLUMNS
  WHERE TABLE_SCHEMA = DATABASE()
    AND TABLE_NAME IN (SELECT v.name FROM JSON_TABLE(?, '$[*]' COLUMNS (name VARCHAR(64) PATH '$')) AS v)
  ORDER BY TABLE_NAME, ORDINAL_POSITION
;
EXPLAIN FORMAT=TRADITIONAL 
      SELECT c.group_id, c.related, c.sees
      FROM JSON_TABLE('["1","2"]', '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS wanted
      STRAIGHT_JOIN recency_groups AS c ON c.user_id = 1 AND c.group_id = wanted.id
;
EXPLAIN FORMAT=TRADITIONAL SELECT c.group_id, c.sees FROM recency_groups AS c WHERE c.user_id = 1 AND c.related
;
EXPLAIN FORMAT=TRADITIONAL SELECT c.user_id FROM recency_groups AS c WHERE c.group_id = 1
;
EXPLAIN FORMAT=TRADITIONAL 
      SELECT p.id FROM recency_group_photos AS p
      WHERE p.group_id = 1 AND p.audience = 0 ORDER BY p.uploaded_at DESC, p.id DESC LIMIT 10
;
EXPLAIN FORMAT=TRADITIONAL 
      SELECT (SELECT CAST(FLOOR(LEAST(p.uploaded_at, 9007199254740991)) AS SIGNED) FROM recency_group_photos AS p
           WHERE p.group_id = wanted.id AND p.audience = 0 AND p.uploaded_at >= 1
           ORDER BY p.group_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1)
      FROM JSON_TABLE('["1","2"]', '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS wanted

-- groups · shared · photos · named bits, extra columns
-- groups · shared · photos · no since
-- groups · shared · photos · cursors · no since
-- groups · shared · photos of 2 audiences
-- groups · shared · photos of 2 audiences · cursors
-- groups · shared · photos of 4 audiences
-- groups · shared · photos of 4 audiences · cursors
-- groups · shared · photos of 63 audiences
-- groups · shared · photos of 63 audiences · cursors
sha256 27c34d05a7acc3591e6b5460b5ef7f1da6e7056d79be2363eb21fc8b1d149810
