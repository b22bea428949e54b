-- contacts · shared · column
-- contacts · shared · column · cursors
-- contacts · shared · photos
-- contacts · shared · photos · cursors
-- contacts · shared · photos · cursors · named bits, extra columns

  SELECT c.user_id FROM recency_contacts AS c
  WHERE c.user_id > ? AND c.user_id <= ?
  ORDER BY c.user_id DESC
  LIMIT 1

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
sha256 0f07ac491251016fc79b284d881e51cce143bb195c7fa3573d6bddfb31266e21

-- groups · shared · column
-- groups · shared · column · cursors
-- groups · shared · photos
-- groups · shared · photos · cursors
-- groups · shared · photos · cursors · named bits, extra columns

  SELECT c.user_id FROM recency_groups AS c
  WHERE c.user_id > ? AND c.user_id <= ?
  ORDER BY c.user_id DESC
  LIMIT 1

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
sha256 753f23a1e51de2340afa9d24d2e8339fbf07aa168f2d66134824d308617654e6
