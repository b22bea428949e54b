-- contacts · shared · column
-- contacts · shared · column · cursors
-- contacts · shared · photos
-- contacts · shared · photos · cursors
-- contacts · shared · photos · cursors · named bits, extra columns

  INSERT INTO recency_outbox (type, user_id, other_id, version, attempt, is_recheck, due_at)
  SELECT 'recency.contact.changed', pair.user, pair.contact, pair.version, ?, TRUE, TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000 + ?
  FROM JSON_TABLE(?, '$[*]' COLUMNS (
    user BIGINT UNSIGNED PATH '$[0]', contact BIGINT UNSIGNED PATH '$[1]', version BIGINT UNSIGNED PATH '$[2]'
  )) AS pair

-- contacts · shared · column · named bits, extra columns
-- contacts · shared · column · cursors · named bits, extra columns
-- contacts · shared · photos · named bits, extra columns
-- contacts · separate · column
-- contacts · separate · column · named bits, extra columns
-- contacts · separate · column · cursors
-- contacts · separate · column · cursors · named bits, extra columns
-- contacts · separate · photos
-- contacts · separate · photos · named bits, extra columns
-- contacts · separate · photos · cursors
-- contacts · separate · photos · cursors · named bits, extra columns
-- contacts · shared · column · no since
-- contacts · shared · column · cursors · no since
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
sha256 1ea9d4f48876357568516873c6a14af307704cc7460c2e3f77ecc21b9f718a46

-- groups · shared · column
-- groups · shared · column · cursors
-- groups · shared · photos
-- groups · shared · photos · cursors
-- groups · shared · photos · cursors · named bits, extra columns

  INSERT INTO recency_outbox (type, user_id, other_id, version, attempt, is_recheck, due_at)
  SELECT 'recency.group.changed', pair.user, pair.contact, pair.version, ?, TRUE, TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000 + ?
  FROM JSON_TABLE(?, '$[*]' COLUMNS (
    user BIGINT UNSIGNED PATH '$[0]', contact BIGINT UNSIGNED PATH '$[1]', version BIGINT UNSIGNED PATH '$[2]'
  )) AS pair

-- groups · shared · column · named bits, extra columns
-- groups · shared · column · cursors · named bits, extra columns
-- groups · shared · photos · named bits, extra columns
-- groups · separate · column
-- groups · separate · column · named bits, extra columns
-- groups · separate · column · cursors
-- groups · separate · column · cursors · named bits, extra columns
-- groups · separate · photos
-- groups · separate · photos · named bits, extra columns
-- groups · separate · photos · cursors
-- groups · separate · photos · cursors · named bits, extra columns
-- groups · shared · column · no since
-- groups · shared · column · cursors · no since
-- groups · shared · photos · no since
-- groups · shared · photos · cursors · no since
-- groups · shared · photos of 2 audiences
-- groups · shared · photos of 2 audiences · cursors
-- groups · separate · photos of 2 audiences
-- groups · separate · photos of 2 audiences · cursors
-- groups · shared · photos of 4 audiences
-- groups · shared · photos of 4 audiences · cursors
-- groups · separate · photos of 4 audiences
-- groups · separate · photos of 4 audiences · cursors
-- groups · shared · photos of 63 audiences
-- groups · shared · photos of 63 audiences · cursors
-- groups · separate · photos of 63 audiences
-- groups · separate · photos of 63 audiences · cursors
sha256 ff233c44427cd8fffaea3258a36567df82a501557407b3df2ebc81203d3763ec
