-- contacts · shared · column
-- contacts · shared · column · cursors
-- contacts · shared · photos
-- contacts · shared · photos · cursors
-- contacts · shared · photos · cursors · named bits, extra columns

  SELECT o.id, o.user_id, o.other_id, o.version, o.attempt
  FROM recency_outbox AS o FORCE INDEX (recency_outbox_published)
  STRAIGHT_JOIN (
    SELECT DISTINCT given.id FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS given
  ) AS asked ON asked.id = o.user_id
  WHERE o.published_at IS NULL AND o.is_recheck = TRUE AND o.type = 'recency.contact.changed' UNION 
  SELECT o.id, o.user_id, o.other_id, o.version, o.attempt
  FROM recency_outbox AS o FORCE INDEX (recency_outbox_published)
  STRAIGHT_JOIN (
    SELECT DISTINCT given.id FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS given
  ) AS asked ON asked.id = o.other_id
  WHERE o.published_at IS NULL AND o.is_recheck = TRUE AND o.type = 'recency.contact.changed'

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
sha256 ff00eb5386039767e867b8c32a8b11ae3bd2a65b702c78e339bb820c937324f4

-- groups · shared · column
-- groups · shared · column · cursors
-- groups · shared · photos
-- groups · shared · photos · cursors
-- groups · shared · photos · cursors · named bits, extra columns

  SELECT o.id, o.user_id, o.other_id, o.version, o.attempt
  FROM recency_outbox AS o FORCE INDEX (recency_outbox_published)
  STRAIGHT_JOIN (
    SELECT DISTINCT given.id FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS given
  ) AS asked ON asked.id = o.user_id
  WHERE o.published_at IS NULL AND o.is_recheck = TRUE AND o.type = 'recency.group.changed' UNION 
  SELECT o.id, o.user_id, o.other_id, o.version, o.attempt
  FROM recency_outbox AS o FORCE INDEX (recency_outbox_published)
  STRAIGHT_JOIN (
    SELECT DISTINCT given.id FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS given
  ) AS asked ON asked.id = o.other_id
  WHERE o.published_at IS NULL AND o.is_recheck = TRUE AND o.type = 'recency.group.changed'

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
sha256 fe41181c4c669c4317d8d0481f8c74aeb9ab70022cd206e5dda088966ed4bb6d
