-- contacts · shared · column
-- contacts · shared · column · cursors
-- contacts · shared · photos
-- contacts · shared · photos · cursors
-- contacts · shared · photos · cursors · named bits, extra columns

  SELECT (SELECT 1 FROM 
  recency_outbox FORCE INDEX (recency_outbox_published)
  WHERE published_at IS NULL AND is_recheck = TRUE AND type = 'recency.contact.changed' AND due_at <= TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000 LIMIT 1),
         (SELECT 1 FROM 
  recency_outbox FORCE INDEX (recency_outbox_published)
  WHERE published_at IS NULL AND is_recheck = TRUE AND type = 'recency.contact.changed' AND due_at > TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000 + 60000 LIMIT 1)
;

  SELECT id, user_id, other_id, version, attempt
  FROM 
  recency_outbox FORCE INDEX (recency_outbox_published)
  WHERE published_at IS NULL AND is_recheck = TRUE AND type = 'recency.contact.changed' AND due_at <= TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000
  ORDER BY due_at, id
  LIMIT ?
  FOR UPDATE SKIP LOCKED
;
UPDATE 
  JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS claimed
  STRAIGHT_JOIN recency_outbox AS o FORCE INDEX (PRIMARY) ON o.id = claimed.id SET o.due_at = TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000 + ?

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
sha256 2227a01509a1e734853af5d9d9a7ccd1cfdb76af71bae3d0aec20ebb713f38eb

-- groups · shared · column
-- groups · shared · column · cursors
-- groups · shared · photos
-- groups · shared · photos · cursors
-- groups · shared · photos · cursors · named bits, extra columns

  SELECT (SELECT 1 FROM 
  recency_outbox FORCE INDEX (recency_outbox_published)
  WHERE published_at IS NULL AND is_recheck = TRUE AND type = 'recency.group.changed' AND due_at <= TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000 LIMIT 1),
         (SELECT 1 FROM 
  recency_outbox FORCE INDEX (recency_outbox_published)
  WHERE published_at IS NULL AND is_recheck = TRUE AND type = 'recency.group.changed' AND due_at > TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000 + 60000 LIMIT 1)
;

  SELECT id, user_id, other_id, version, attempt
  FROM 
  recency_outbox FORCE INDEX (recency_outbox_published)
  WHERE published_at IS NULL AND is_recheck = TRUE AND type = 'recency.group.changed' AND due_at <= TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000
  ORDER BY due_at, id
  LIMIT ?
  FOR UPDATE SKIP LOCKED
;
UPDATE 
  JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS claimed
  STRAIGHT_JOIN recency_outbox AS o FORCE INDEX (PRIMARY) ON o.id = claimed.id SET o.due_at = TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000 + ?

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
sha256 befe6e5bde7c015b1587782dd9a12bbccb6cb4905e8df7f136c5a275f4c43eb5
