-- contacts · shared · column
-- contacts · shared · column · cursors
-- contacts · shared · photos
-- contacts · shared · photos · cursors
-- contacts · shared · photos · cursors · named bits, extra columns
SELECT id, user_id, other_id, version, attempt FROM 
  recency_outbox FORCE INDEX (recency_outbox_published)
  WHERE published_at IS NULL AND is_recheck = TRUE AND type = 'recency.contact.changed'

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
sha256 f702260cf8020bce41d43d4493e99937ef1891aed37771106221a7630007cc43

-- groups · shared · column
-- groups · shared · column · cursors
-- groups · shared · photos
-- groups · shared · photos · cursors
-- groups · shared · photos · cursors · named bits, extra columns
SELECT id, user_id, other_id, version, attempt FROM 
  recency_outbox FORCE INDEX (recency_outbox_published)
  WHERE published_at IS NULL AND is_recheck = TRUE AND type = 'recency.group.changed'

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
sha256 f83c9a2d9f7577e7e422ee68121dacfe1c32a65a7eb4af5b966ab26950057615
