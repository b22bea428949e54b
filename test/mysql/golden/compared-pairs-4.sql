-- contacts · shared · column
-- contacts · shared · column · cursors

  SELECT c.user_id, c.contact_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED), c.sees, GREATEST(0, IF((c.sees >> 0) & 1, COALESCE((SELECT CAST(FLOOR(LEAST(p.uploaded_at, 9007199254740991)) AS SIGNED) FROM recency_photos AS p
           WHERE p.owner_id = c.contact_id AND p.audience = 0 AND p.uploaded_at >= 1
           ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), IF((c.sees >> 1) & 1, COALESCE((SELECT CAST(FLOOR(LEAST(p.uploaded_at, 9007199254740991)) AS SIGNED) FROM recency_photos AS p
           WHERE p.owner_id = c.contact_id AND p.audience = 1 AND p.uploaded_at >= 1
           ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), IF((c.sees >> 2) & 1, COALESCE((SELECT CAST(FLOOR(LEAST(p.uploaded_at, 9007199254740991)) AS SIGNED) FROM recency_photos AS p
           WHERE p.owner_id = c.contact_id AND p.audience = 2 AND p.uploaded_at >= 1
           ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), IF((c.sees >> 3) & 1, COALESCE((SELECT CAST(FLOOR(LEAST(p.uploaded_at, 9007199254740991)) AS SIGNED) FROM recency_photos AS p
           WHERE p.owner_id = c.contact_id AND p.audience = 3 AND p.uploaded_at >= 1
           ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0))
  FROM JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$[0]', contact_id BIGINT UNSIGNED PATH '$[1]')) AS pair
  STRAIGHT_JOIN recency_contacts AS c ON c.user_id = pair.user_id AND c.contact_id = pair.contact_id
  WHERE (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id)

-- contacts · shared · column · named bits, extra columns
-- contacts · shared · column · cursors · named bits, extra columns
-- contacts · shared · column · no since
-- contacts · shared · column · cursors · no since
sha256 b1a1462106a325778e09fa8cc1cfbcf676773ef3a1c49c6c664c3ba9a3b1a832

-- contacts · shared · photos
-- contacts · shared · photos · cursors
-- contacts · shared · photos · cursors · named bits, extra columns

  SELECT c.user_id, c.contact_id, CAST(FLOOR(LEAST(GREATEST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_photos AS p
        WHERE p.owner_id = CAST(c.contact_id AS UNSIGNED) AND p.audience = 0
        ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), IF(c.sees >> 1, GREATEST(IF(c.sees & 2, COALESCE((SELECT p.uploaded_at FROM recency_photos AS p
        WHERE p.owner_id = CAST(c.contact_id AS UNSIGNED) AND p.audience = 1
        ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), IF(c.sees & 4, COALESCE((SELECT p.uploaded_at FROM recency_photos AS p
        WHERE p.owner_id = CAST(c.contact_id AS UNSIGNED) AND p.audience = 2
        ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), IF(c.sees & 8, COALESCE((SELECT p.uploaded_at FROM recency_photos AS p
        WHERE p.owner_id = CAST(c.contact_id AS UNSIGNED) AND p.audience = 3
        ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), IF(c.sees >> 4, COALESCE((
      SELECT MAX((SELECT p.uploaded_at FROM recency_photos AS p
        WHERE p.owner_id = CAST(c.contact_id AS UNSIGNED) AND p.audience = seen.audience
        ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1))
      FROM JSON_TABLE('[4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62]', '$[*]' COLUMNS (audience INT PATH '$')) AS seen
      WHERE (c.sees >> seen.audience) & 1), 0), 0)), 0)), 9007199254740991)) AS SIGNED), c.sees, GREATEST(0, IF((c.sees >> 0) & 1, COALESCE((SELECT CAST(FLOOR(LEAST(p.uploaded_at, 9007199254740991)) AS SIGNED) FROM recency_photos AS p
           WHERE p.owner_id = c.contact_id AND p.audience = 0 AND p.uploaded_at >= 1
           ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), IF((c.sees >> 1) & 1, COALESCE((SELECT CAST(FLOOR(LEAST(p.uploaded_at, 9007199254740991)) AS SIGNED) FROM recency_photos AS p
           WHERE p.owner_id = c.contact_id AND p.audience = 1 AND p.uploaded_at >= 1
           ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), IF((c.sees >> 2) & 1, COALESCE((SELECT CAST(FLOOR(LEAST(p.uploaded_at, 9007199254740991)) AS SIGNED) FROM recency_photos AS p
           WHERE p.owner_id = c.contact_id AND p.audience = 2 AND p.uploaded_at >= 1
           ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), IF((c.sees >> 3) & 1, COALESCE((SELECT CAST(FLOOR(LEAST(p.uploaded_at, 9007199254740991)) AS SIGNED) FROM recency_photos AS p
           WHERE p.owner_id = c.contact_id AND p.audience = 3 AND p.uploaded_at >= 1
           ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0))
  FROM JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$[0]', contact_id BIGINT UNSIGNED PATH '$[1]')) AS pair
  STRAIGHT_JOIN recency_contacts AS c ON c.user_id = pair.user_id AND c.contact_id = pair.contact_id
  WHERE (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id)

-- contacts · shared · photos · named bits, extra columns
-- contacts · shared · photos · no since
-- contacts · shared · photos · cursors · no since
-- contacts · shared · photos of 2 audiences
-- contacts · shared · photos of 2 audiences · cursors
-- contacts · shared · photos of 4 audiences
-- contacts · shared · photos of 4 audiences · cursors
-- contacts · shared · photos of 63 audiences
-- contacts · shared · photos of 63 audiences · cursors
sha256 429df02e7174b9f06a7b57a059ea441f8972c9072b2d841d84c97f341da2e542

-- contacts · separate · column
-- contacts · separate · column · named bits, extra columns
-- contacts · separate · column · cursors
-- contacts · separate · column · cursors · named bits, extra columns
sha256 ba9395196c88e158c5b5527cb0afa7f0edf91051da1c73249828391766c116cf

-- contacts · separate · photos
-- contacts · separate · photos · named bits, extra columns
-- contacts · separate · photos · cursors
-- contacts · separate · photos · cursors · named bits, extra columns
-- contacts · separate · photos of 2 audiences
-- contacts · separate · photos of 2 audiences · cursors
-- contacts · separate · photos of 4 audiences
-- contacts · separate · photos of 4 audiences · cursors
-- contacts · separate · photos of 63 audiences
-- contacts · separate · photos of 63 audiences · cursors
sha256 1cf2e7c2cd7aa244c8900fe9695ec19ff63c8fad2d912cd3eff8ce1c22396b02

-- groups · shared · column
-- groups · shared · column · cursors

  SELECT c.user_id, c.group_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED), c.sees, GREATEST(0, IF((c.sees >> 0) & 1, COALESCE((SELECT CAST(FLOOR(LEAST(p.uploaded_at, 9007199254740991)) AS SIGNED) FROM recency_group_photos AS p
           WHERE p.group_id = c.group_id AND p.audience = 0 AND p.uploaded_at >= 1
           ORDER BY p.group_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), IF((c.sees >> 1) & 1, COALESCE((SELECT CAST(FLOOR(LEAST(p.uploaded_at, 9007199254740991)) AS SIGNED) FROM recency_group_photos AS p
           WHERE p.group_id = c.group_id AND p.audience = 1 AND p.uploaded_at >= 1
           ORDER BY p.group_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), IF((c.sees >> 2) & 1, COALESCE((SELECT CAST(FLOOR(LEAST(p.uploaded_at, 9007199254740991)) AS SIGNED) FROM recency_group_photos AS p
           WHERE p.group_id = c.group_id AND p.audience = 2 AND p.uploaded_at >= 1
           ORDER BY p.group_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), IF((c.sees >> 3) & 1, COALESCE((SELECT CAST(FLOOR(LEAST(p.uploaded_at, 9007199254740991)) AS SIGNED) FROM recency_group_photos AS p
           WHERE p.group_id = c.group_id AND p.audience = 3 AND p.uploaded_at >= 1
           ORDER BY p.group_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0))
  FROM JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$[0]', group_id BIGINT UNSIGNED PATH '$[1]')) AS pair
  STRAIGHT_JOIN recency_groups AS c ON c.user_id = pair.user_id AND c.group_id = pair.group_id
  WHERE (c.related AND c.group_id >= 1 AND TRUE)

-- groups · shared · column · named bits, extra columns
-- groups · shared · column · cursors · named bits, extra columns
-- groups · separate · column
-- groups · separate · column · named bits, extra columns
-- groups · separate · column · cursors
-- groups · separate · column · cursors · named bits, extra columns
-- groups · shared · column · no since
-- groups · shared · column · cursors · no since
sha256 33044418074c6a7b7db91bbbf411dd4303759fd0e230bee1eba0c63bf294c7af

-- groups · shared · photos
-- groups · shared · photos · cursors
-- groups · shared · photos · cursors · named bits, extra columns

  SELECT c.user_id, c.group_id, CAST(FLOOR(LEAST(GREATEST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_group_photos AS p
        WHERE p.group_id = CAST(c.group_id AS UNSIGNED) AND p.audience = 0
        ORDER BY p.group_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), IF(c.sees >> 1, GREATEST(IF(c.sees & 2, COALESCE((SELECT p.uploaded_at FROM recency_group_photos AS p
        WHERE p.group_id = CAST(c.group_id AS UNSIGNED) AND p.audience = 1
        ORDER BY p.group_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), IF(c.sees & 4, COALESCE((SELECT p.uploaded_at FROM recency_group_photos AS p
        WHERE p.group_id = CAST(c.group_id AS UNSIGNED) AND p.audience = 2
        ORDER BY p.group_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), IF(c.sees & 8, COALESCE((SELECT p.uploaded_at FROM recency_group_photos AS p
        WHERE p.group_id = CAST(c.group_id AS UNSIGNED) AND p.audience = 3
        ORDER BY p.group_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), IF(c.sees >> 4, COALESCE((
      SELECT MAX((SELECT p.uploaded_at FROM recency_group_photos AS p
        WHERE p.group_id = CAST(c.group_id AS UNSIGNED) AND p.audience = seen.audience
        ORDER BY p.group_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1))
      FROM JSON_TABLE('[4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62]', '$[*]' COLUMNS (audience INT PATH '$')) AS seen
      WHERE (c.sees >> seen.audience) & 1), 0), 0)), 0)), 9007199254740991)) AS SIGNED), c.sees, GREATEST(0, IF((c.sees >> 0) & 1, COALESCE((SELECT CAST(FLOOR(LEAST(p.uploaded_at, 9007199254740991)) AS SIGNED) FROM recency_group_photos AS p
           WHERE p.group_id = c.group_id AND p.audience = 0 AND p.uploaded_at >= 1
           ORDER BY p.group_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), IF((c.sees >> 1) & 1, COALESCE((SELECT CAST(FLOOR(LEAST(p.uploaded_at, 9007199254740991)) AS SIGNED) FROM recency_group_photos AS p
           WHERE p.group_id = c.group_id AND p.audience = 1 AND p.uploaded_at >= 1
           ORDER BY p.group_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), IF((c.sees >> 2) & 1, COALESCE((SELECT CAST(FLOOR(LEAST(p.uploaded_at, 9007199254740991)) AS SIGNED) FROM recency_group_photos AS p
           WHERE p.group_id = c.group_id AND p.audience = 2 AND p.uploaded_at >= 1
           ORDER BY p.group_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), IF((c.sees >> 3) & 1, COALESCE((SELECT CAST(FLOOR(LEAST(p.uploaded_at, 9007199254740991)) AS SIGNED) FROM recency_group_photos AS p
           WHERE p.group_id = c.group_id AND p.audience = 3 AND p.uploaded_at >= 1
           ORDER BY p.group_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0))
  FROM JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$[0]', group_id BIGINT UNSIGNED PATH '$[1]')) AS pair
  STRAIGHT_JOIN recency_groups AS c ON c.user_id = pair.user_id AND c.group_id = pair.group_id
  WHERE (c.related AND c.group_id >= 1 AND TRUE)

-- groups · shared · photos · named bits, extra columns
-- groups · separate · photos
-- groups · separate · photos · named bits, extra columns
-- groups · separate · photos · cursors
-- groups · separate · photos · cursors · named bits, extra columns
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
sha256 6bf163fe64f59b8c3559a3943024c2c3406370502b35bb7e1b824d7dd3ab14cc
