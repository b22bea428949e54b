-- contacts · shared · column
-- contacts · shared · column · cursors
-- contacts · shared · photos
-- contacts · shared · photos · cursors
-- contacts · shared · photos · cursors · named bits, extra columns

  SELECT owner.id, (SELECT CAST(FLOOR(LEAST(p.uploaded_at, 9007199254740991)) AS SIGNED) FROM recency_photos AS p
           WHERE p.owner_id = owner.id AND p.audience = 0 AND p.uploaded_at >= 1
           ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), (SELECT CAST(FLOOR(LEAST(p.uploaded_at, 9007199254740991)) AS SIGNED) FROM recency_photos AS p
           WHERE p.owner_id = owner.id AND p.audience = 1 AND p.uploaded_at >= 1
           ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), (SELECT CAST(FLOOR(LEAST(p.uploaded_at, 9007199254740991)) AS SIGNED) FROM recency_photos AS p
           WHERE p.owner_id = owner.id AND p.audience = 2 AND p.uploaded_at >= 1
           ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), (SELECT CAST(FLOOR(LEAST(p.uploaded_at, 9007199254740991)) AS SIGNED) FROM recency_photos AS p
           WHERE p.owner_id = owner.id AND p.audience = 3 AND p.uploaded_at >= 1
           ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1)
  FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS owner

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
sha256 f3e8f4e5ade81d1f732dc74d16e2a939dc9e762c9b3c80d02191d73017aae1ae

-- groups · shared · column
-- groups · shared · column · cursors
-- groups · shared · photos
-- groups · shared · photos · cursors
-- groups · shared · photos · cursors · named bits, extra columns

  SELECT owner.id, (SELECT CAST(FLOOR(LEAST(p.uploaded_at, 9007199254740991)) AS SIGNED) FROM recency_group_photos AS p
           WHERE p.group_id = owner.id AND p.audience = 0 AND p.uploaded_at >= 1
           ORDER BY p.group_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), (SELECT CAST(FLOOR(LEAST(p.uploaded_at, 9007199254740991)) AS SIGNED) FROM recency_group_photos AS p
           WHERE p.group_id = owner.id AND p.audience = 1 AND p.uploaded_at >= 1
           ORDER BY p.group_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), (SELECT CAST(FLOOR(LEAST(p.uploaded_at, 9007199254740991)) AS SIGNED) FROM recency_group_photos AS p
           WHERE p.group_id = owner.id AND p.audience = 2 AND p.uploaded_at >= 1
           ORDER BY p.group_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), (SELECT CAST(FLOOR(LEAST(p.uploaded_at, 9007199254740991)) AS SIGNED) FROM recency_group_photos AS p
           WHERE p.group_id = owner.id AND p.audience = 3 AND p.uploaded_at >= 1
           ORDER BY p.group_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1)
  FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS owner

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
sha256 eff6a14c6b4f5a84cc66da16069ab66a4a5773d60163cbb88ba8be14d858bda2
