-- contacts · shared · column

  SELECT c.contact_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AS at, c.is_friend AS is_friend, c.is_family AS is_family, c.sees, CAST(FLOOR(LEAST(c.since, 9007199254740991)) AS SIGNED), photo.id, photo.uploaded_at, photo.title, e.seen_in_use
  FROM recency_epoch AS e
  STRAIGHT_JOIN JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS wanted
  STRAIGHT_JOIN recency_contacts AS c ON c.user_id = ? AND c.contact_id = wanted.id
  STRAIGHT_JOIN (
    (SELECT p.id, p.owner_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.owner_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.owner_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.owner_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?)
  ) AS photo ON photo.owner_id = c.contact_id
  WHERE TRUE AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) AND c.last_upload_at >= 1 AND (c.sees >> photo.audience) & 1

-- contacts · shared · column · named bits, extra columns
sha256 3cab87dc606c147aacf047dabfa15aa46ae1f368f6ec1829c7e2acbbf85ffc39

-- contacts · shared · column · cursors

  SELECT c.contact_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AS at, c.is_friend AS is_friend, c.is_family AS is_family, c.sees, ((seen_all.seen_at IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > seen_all.seen_at
      OR (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) = seen_all.seen_at AND CAST(c.contact_id AS BINARY) > CAST(seen_all.seen_id AS BINARY))) AND (seen_own.seen_at IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > seen_own.seen_at OR (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) = seen_own.seen_at
      AND seen_own.seen_id < 18446744073709551615 AND EXISTS (
      SELECT 1 FROM recency_photos AS tie
      WHERE tie.owner_id = c.contact_id AND tie.audience IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63)
        AND tie.uploaded_at >= CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AND tie.uploaded_at < CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) + 1
        AND tie.id > seen_own.seen_id AND (c.sees >> tie.audience) & 1))) AND (c.since IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > c.since)), photo.id, photo.uploaded_at, photo.title, e.seen_in_use
  FROM recency_epoch AS e
  STRAIGHT_JOIN JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS wanted
  STRAIGHT_JOIN recency_contacts AS c ON c.user_id = ? AND c.contact_id = wanted.id
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = c.user_id AND seen_all.kind = 'contacts' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = c.user_id AND seen_own.kind = 'contacts' AND seen_own.source_id = c.contact_id
  STRAIGHT_JOIN (
    (SELECT p.id, p.owner_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.owner_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.owner_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.owner_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?)
  ) AS photo ON photo.owner_id = c.contact_id
  WHERE TRUE AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) AND c.last_upload_at >= 1 AND (c.sees >> photo.audience) & 1

-- contacts · shared · column · cursors · named bits, extra columns
sha256 a44ea0b0785475343f63507b0a0784498cbcbf2e1d1557ac7a2af2d5da12cdbb

-- contacts · shared · photos

  SELECT c.contact_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AS at, c.is_friend AS is_friend, c.is_family AS is_family, c.sees, CAST(FLOOR(LEAST(c.since, 9007199254740991)) AS SIGNED), photo.id, photo.uploaded_at, photo.title, e.seen_in_use
  FROM recency_epoch AS e
  STRAIGHT_JOIN (SELECT c.user_id AS user_id, c.contact_id AS contact_id, c.is_friend AS is_friend, c.is_family AS is_family, c.sees AS sees, c.since AS since, CAST(FLOOR(LEAST(GREATEST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_photos AS p
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
      WHERE (c.sees >> seen.audience) & 1), 0), 0)), 0)), 9007199254740991)) AS SIGNED) AS last_upload_at
      FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS wanted
  STRAIGHT_JOIN recency_contacts AS c ON c.user_id = ? AND c.contact_id = wanted.id WHERE TRUE AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) LIMIT 18446744073709551615) AS c
  STRAIGHT_JOIN (
    (SELECT p.id, p.owner_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.owner_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.owner_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.owner_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?)
  ) AS photo ON photo.owner_id = c.contact_id
  WHERE c.last_upload_at >= 1 AND (c.sees >> photo.audience) & 1

-- contacts · shared · photos · named bits, extra columns
sha256 a67110443aefb17ab95a6e0deb40314e41662d519a4bb9fc2cf1ac1a510f4bc0

-- contacts · shared · photos · cursors

  SELECT c.contact_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AS at, c.is_friend AS is_friend, c.is_family AS is_family, c.sees, ((seen_all.seen_at IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > seen_all.seen_at
      OR (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) = seen_all.seen_at AND CAST(c.contact_id AS BINARY) > CAST(seen_all.seen_id AS BINARY))) AND (seen_own.seen_at IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > seen_own.seen_at OR (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) = seen_own.seen_at
      AND seen_own.seen_id < 18446744073709551615 AND EXISTS (
      SELECT 1 FROM recency_photos AS tie
      WHERE tie.owner_id = c.contact_id AND tie.audience IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63)
        AND tie.uploaded_at >= CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AND tie.uploaded_at < CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) + 1
        AND tie.id > seen_own.seen_id AND (c.sees >> tie.audience) & 1))) AND (c.since IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > c.since)), photo.id, photo.uploaded_at, photo.title, e.seen_in_use
  FROM recency_epoch AS e
  STRAIGHT_JOIN (SELECT c.user_id AS user_id, c.contact_id AS contact_id, c.is_friend AS is_friend, c.is_family AS is_family, c.sees AS sees, c.since AS since, CAST(FLOOR(LEAST(GREATEST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_photos AS p
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
      WHERE (c.sees >> seen.audience) & 1), 0), 0)), 0)), 9007199254740991)) AS SIGNED) AS last_upload_at
      FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS wanted
  STRAIGHT_JOIN recency_contacts AS c ON c.user_id = ? AND c.contact_id = wanted.id WHERE TRUE AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) LIMIT 18446744073709551615) AS c
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = c.user_id AND seen_all.kind = 'contacts' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = c.user_id AND seen_own.kind = 'contacts' AND seen_own.source_id = c.contact_id
  STRAIGHT_JOIN (
    (SELECT p.id, p.owner_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.owner_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.owner_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.owner_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?)
  ) AS photo ON photo.owner_id = c.contact_id
  WHERE c.last_upload_at >= 1 AND (c.sees >> photo.audience) & 1

-- contacts · shared · photos · cursors · named bits, extra columns

  SELECT c.contact_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AS at, c.is_friend AS is_friend, c.is_family AS is_family, c.sees, ((seen_all.seen_at IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > seen_all.seen_at
      OR (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) = seen_all.seen_at AND CAST(c.contact_id AS BINARY) > CAST(seen_all.seen_id AS BINARY))) AND (seen_own.seen_at IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > seen_own.seen_at OR (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) = seen_own.seen_at
      AND seen_own.seen_id < 18446744073709551615 AND EXISTS (
      SELECT 1 FROM recency_photos AS tie
      WHERE tie.owner_id = c.contact_id AND tie.audience IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63)
        AND tie.uploaded_at >= CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AND tie.uploaded_at < CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) + 1
        AND tie.id > seen_own.seen_id AND (c.sees >> tie.audience) & 1))) AND (c.since IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > c.since)), photo.id, photo.uploaded_at, photo.title, e.seen_in_use, CAST(c.`extra_avatar` AS CHAR), (c.bits & 2147483647), CAST(photo.`extra_thumb` AS CHAR)
  FROM recency_epoch AS e
  STRAIGHT_JOIN (SELECT c.user_id AS user_id, c.contact_id AS contact_id, c.is_friend AS is_friend, c.is_family AS is_family, c.sees AS sees, c.since AS since, c.bits AS bits, c.extra_avatar AS extra_avatar, CAST(FLOOR(LEAST(GREATEST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_photos AS p
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
      WHERE (c.sees >> seen.audience) & 1), 0), 0)), 0)), 9007199254740991)) AS SIGNED) AS last_upload_at
      FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS wanted
  STRAIGHT_JOIN recency_contacts AS c ON c.user_id = ? AND c.contact_id = wanted.id WHERE TRUE AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) LIMIT 18446744073709551615) AS c
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = c.user_id AND seen_all.kind = 'contacts' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = c.user_id AND seen_own.kind = 'contacts' AND seen_own.source_id = c.contact_id
  STRAIGHT_JOIN (
    (SELECT p.id, p.owner_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title, p.`extra_thumb`
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.owner_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title, p.`extra_thumb`
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.owner_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title, p.`extra_thumb`
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.owner_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title, p.`extra_thumb`
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?)
  ) AS photo ON photo.owner_id = c.contact_id
  WHERE c.last_upload_at >= 1 AND (c.sees >> photo.audience) & 1

-- contacts · separate · column
sha256 42e1bab8a3a1e6bde238c77a7c39dcd484fdefd389c1d5b2d430fa3262fb7f1b

-- contacts · separate · column · named bits, extra columns
sha256 5908cfac63b365d593671aa1b524f33a7601cb5f3f3c48fd878b59fb784d8982

-- contacts · separate · column · cursors
sha256 69c300af49150e285b08283a96060446f8df361a972bd397ffcd4c906cc632af

-- contacts · separate · column · cursors · named bits, extra columns
sha256 7d2aff95e16192ec6e3d487a2d5bc57e965ab99c54b63f1145dbec37d930f066

-- contacts · separate · photos
-- contacts · separate · photos of 2 audiences
-- contacts · separate · photos of 4 audiences
-- contacts · separate · photos of 63 audiences
sha256 40ce9c09516b341a6d36c3c2d86fe50da62b8f11b101aa8d90f438ad88284d76

-- contacts · separate · photos · named bits, extra columns
sha256 27e0c6497359ff30a036b075b3f02fa29da456c84f10c14110f7c1299fd8e09f

-- contacts · separate · photos · cursors
-- contacts · separate · photos of 2 audiences · cursors
-- contacts · separate · photos of 4 audiences · cursors
-- contacts · separate · photos of 63 audiences · cursors
sha256 165776fa5fb75a6ceb34b1ecc2744523b824423209d0db8aa1f38671d6af4e70

-- contacts · separate · photos · cursors · named bits, extra columns
sha256 ae8f3b7216d443f84b6b03c6f8e830e183ee80bb25137fc92fb78e767dd93c98

-- groups · shared · column

  SELECT c.group_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AS at, FALSE AS is_friend, FALSE AS is_family, c.sees, CAST(FLOOR(LEAST(c.since, 9007199254740991)) AS SIGNED), photo.id, photo.uploaded_at, photo.title, e.seen_in_use
  FROM recency_epoch AS e
  STRAIGHT_JOIN JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS wanted
  STRAIGHT_JOIN recency_groups AS c ON c.user_id = ? AND c.group_id = wanted.id
  STRAIGHT_JOIN (
    (SELECT p.id, p.group_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.group_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.group_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.group_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?)
  ) AS photo ON photo.group_id = c.group_id
  WHERE TRUE AND (c.related AND c.group_id >= 1 AND TRUE) AND c.last_upload_at >= 1 AND (c.sees >> photo.audience) & 1

-- groups · shared · column · named bits, extra columns
-- groups · separate · column · named bits, extra columns
sha256 483af8c47deabb003fda828a0b2e2e0bf07bb64137339a68c55b1f4463c1cd97

-- groups · shared · column · cursors

  SELECT c.group_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AS at, FALSE AS is_friend, FALSE AS is_family, c.sees, ((seen_all.seen_at IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > seen_all.seen_at
      OR (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) = seen_all.seen_at AND CAST(c.group_id AS BINARY) > CAST(seen_all.seen_id AS BINARY))) AND (seen_own.seen_at IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > seen_own.seen_at OR (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) = seen_own.seen_at
      AND seen_own.seen_id < 18446744073709551615 AND EXISTS (
      SELECT 1 FROM recency_group_photos AS tie
      WHERE tie.group_id = c.group_id AND tie.audience IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63)
        AND tie.uploaded_at >= CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AND tie.uploaded_at < CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) + 1
        AND tie.id > seen_own.seen_id AND (c.sees >> tie.audience) & 1))) AND (c.since IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > c.since)), photo.id, photo.uploaded_at, photo.title, e.seen_in_use
  FROM recency_epoch AS e
  STRAIGHT_JOIN JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS wanted
  STRAIGHT_JOIN recency_groups AS c ON c.user_id = ? AND c.group_id = wanted.id
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = c.user_id AND seen_all.kind = 'groups' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = c.user_id AND seen_own.kind = 'groups' AND seen_own.source_id = c.group_id
  STRAIGHT_JOIN (
    (SELECT p.id, p.group_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.group_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.group_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.group_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?)
  ) AS photo ON photo.group_id = c.group_id
  WHERE TRUE AND (c.related AND c.group_id >= 1 AND TRUE) AND c.last_upload_at >= 1 AND (c.sees >> photo.audience) & 1

-- groups · shared · column · cursors · named bits, extra columns
-- groups · separate · column · cursors · named bits, extra columns
sha256 24e75563ec1c135a56fd43f4a3f47d1f63c5aceaf711cdc9156cf37a39e136fa

-- groups · shared · photos

  SELECT c.group_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AS at, FALSE AS is_friend, FALSE AS is_family, c.sees, CAST(FLOOR(LEAST(c.since, 9007199254740991)) AS SIGNED), photo.id, photo.uploaded_at, photo.title, e.seen_in_use
  FROM recency_epoch AS e
  STRAIGHT_JOIN (SELECT c.user_id AS user_id, c.group_id AS group_id, FALSE AS is_friend, FALSE AS is_family, c.sees AS sees, c.since AS since, CAST(FLOOR(LEAST(GREATEST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_group_photos AS p
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
      WHERE (c.sees >> seen.audience) & 1), 0), 0)), 0)), 9007199254740991)) AS SIGNED) AS last_upload_at
      FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS wanted
  STRAIGHT_JOIN recency_groups AS c ON c.user_id = ? AND c.group_id = wanted.id WHERE TRUE AND (c.related AND c.group_id >= 1 AND TRUE) LIMIT 18446744073709551615) AS c
  STRAIGHT_JOIN (
    (SELECT p.id, p.group_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.group_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.group_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.group_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?)
  ) AS photo ON photo.group_id = c.group_id
  WHERE c.last_upload_at >= 1 AND (c.sees >> photo.audience) & 1

-- groups · shared · photos · named bits, extra columns
-- groups · separate · photos · named bits, extra columns
sha256 dca97faac240d76627e7c54cf8d7f859f7c0169cb14b170d374c22dc6cf48a52

-- groups · shared · photos · cursors

  SELECT c.group_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AS at, FALSE AS is_friend, FALSE AS is_family, c.sees, ((seen_all.seen_at IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > seen_all.seen_at
      OR (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) = seen_all.seen_at AND CAST(c.group_id AS BINARY) > CAST(seen_all.seen_id AS BINARY))) AND (seen_own.seen_at IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > seen_own.seen_at OR (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) = seen_own.seen_at
      AND seen_own.seen_id < 18446744073709551615 AND EXISTS (
      SELECT 1 FROM recency_group_photos AS tie
      WHERE tie.group_id = c.group_id AND tie.audience IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63)
        AND tie.uploaded_at >= CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AND tie.uploaded_at < CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) + 1
        AND tie.id > seen_own.seen_id AND (c.sees >> tie.audience) & 1))) AND (c.since IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > c.since)), photo.id, photo.uploaded_at, photo.title, e.seen_in_use
  FROM recency_epoch AS e
  STRAIGHT_JOIN (SELECT c.user_id AS user_id, c.group_id AS group_id, FALSE AS is_friend, FALSE AS is_family, c.sees AS sees, c.since AS since, CAST(FLOOR(LEAST(GREATEST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_group_photos AS p
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
      WHERE (c.sees >> seen.audience) & 1), 0), 0)), 0)), 9007199254740991)) AS SIGNED) AS last_upload_at
      FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS wanted
  STRAIGHT_JOIN recency_groups AS c ON c.user_id = ? AND c.group_id = wanted.id WHERE TRUE AND (c.related AND c.group_id >= 1 AND TRUE) LIMIT 18446744073709551615) AS c
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = c.user_id AND seen_all.kind = 'groups' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = c.user_id AND seen_own.kind = 'groups' AND seen_own.source_id = c.group_id
  STRAIGHT_JOIN (
    (SELECT p.id, p.group_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.group_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.group_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.group_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?)
  ) AS photo ON photo.group_id = c.group_id
  WHERE c.last_upload_at >= 1 AND (c.sees >> photo.audience) & 1

-- groups · shared · photos · cursors · named bits, extra columns

  SELECT c.group_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AS at, FALSE AS is_friend, FALSE AS is_family, c.sees, ((seen_all.seen_at IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > seen_all.seen_at
      OR (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) = seen_all.seen_at AND CAST(c.group_id AS BINARY) > CAST(seen_all.seen_id AS BINARY))) AND (seen_own.seen_at IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > seen_own.seen_at OR (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) = seen_own.seen_at
      AND seen_own.seen_id < 18446744073709551615 AND EXISTS (
      SELECT 1 FROM recency_group_photos AS tie
      WHERE tie.group_id = c.group_id AND tie.audience IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63)
        AND tie.uploaded_at >= CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AND tie.uploaded_at < CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) + 1
        AND tie.id > seen_own.seen_id AND (c.sees >> tie.audience) & 1))) AND (c.since IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > c.since)), photo.id, photo.uploaded_at, photo.title, e.seen_in_use, CAST(c.`extra_avatar` AS CHAR), (0 & 2147483647), CAST(photo.`extra_thumb` AS CHAR)
  FROM recency_epoch AS e
  STRAIGHT_JOIN (SELECT c.user_id AS user_id, c.group_id AS group_id, FALSE AS is_friend, FALSE AS is_family, c.sees AS sees, c.since AS since, 0 AS bits, c.extra_avatar AS extra_avatar, CAST(FLOOR(LEAST(GREATEST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_group_photos AS p
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
      WHERE (c.sees >> seen.audience) & 1), 0), 0)), 0)), 9007199254740991)) AS SIGNED) AS last_upload_at
      FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS wanted
  STRAIGHT_JOIN recency_groups AS c ON c.user_id = ? AND c.group_id = wanted.id WHERE TRUE AND (c.related AND c.group_id >= 1 AND TRUE) LIMIT 18446744073709551615) AS c
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = c.user_id AND seen_all.kind = 'groups' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = c.user_id AND seen_own.kind = 'groups' AND seen_own.source_id = c.group_id
  STRAIGHT_JOIN (
    (SELECT p.id, p.group_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title, p.`extra_thumb`
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.group_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title, p.`extra_thumb`
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.group_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title, p.`extra_thumb`
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.group_id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title, p.`extra_thumb`
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?)
  ) AS photo ON photo.group_id = c.group_id
  WHERE c.last_upload_at >= 1 AND (c.sees >> photo.audience) & 1

-- groups · separate · column
sha256 6835078acf9389bd493e515a7e88a278a904194b453b65c289e6f3f64ab0285c

-- groups · separate · column · cursors
sha256 0c8f08558ac3b2fc79cb10a576533dce633948abf31e36a932ce218fb7b3afb4

-- groups · separate · photos
-- groups · shared · photos of 2 audiences
-- groups · separate · photos of 2 audiences
-- groups · shared · photos of 4 audiences
-- groups · separate · photos of 4 audiences
-- groups · shared · photos of 63 audiences
-- groups · separate · photos of 63 audiences
sha256 3d6e9005b544edd5c696bd836e97def582ea5e93ff4b7a19926a44eae290a27f

-- groups · separate · photos · cursors
-- groups · shared · photos of 2 audiences · cursors
-- groups · separate · photos of 2 audiences · cursors
-- groups · shared · photos of 4 audiences · cursors
-- groups · separate · photos of 4 audiences · cursors
-- groups · shared · photos of 63 audiences · cursors
-- groups · separate · photos of 63 audiences · cursors
sha256 19df5ca225451425ce32cfd4c2b9d77e87dfe801d84d04013dab3c063e41c52a

-- groups · separate · photos · cursors · named bits, extra columns
sha256 0f967b067aecdd675da34fff477b14415adf66303f8d964dd06df366a67bc13c

-- contacts · shared · column · no since
sha256 1ad9acd97335d16af41294aec98004fc938002331e4c910d8b4d48060fda93c1

-- contacts · shared · column · cursors · no since
sha256 51a7c53a7210892c74ce7c0c86555aaa22945a6cdbdb52cdc64bf5b5947d7595

-- contacts · shared · photos · no since
sha256 eea1ad02e3077782b782dc44454f2bb9aeda113ef8db09e4db9767a276264d04

-- contacts · shared · photos · cursors · no since
sha256 c117cd06b2aa4f5f285ed1944ffc4f5fe7cb5b08e5b5f813c748953eb43b4d65

-- groups · shared · column · no since
sha256 180e93432d63f42b334056402401de5a65cf677167b32c2237141a2c564d1f4f

-- groups · shared · column · cursors · no since
sha256 0ef810dcb2da081ef75c94618a63fe85b4eaaea90abd773263e3d0e514fa6086

-- groups · shared · photos · no since
sha256 d272c842b9794b91516ddf08d8d751518f25efb716c8692e8283a60d5393c29f

-- groups · shared · photos · cursors · no since
sha256 e475759ea3d0e42131f130944808ce832f02716c13f70d0d6156a630ec6bc754

-- contacts · shared · photos of 2 audiences
-- contacts · shared · photos of 4 audiences
-- contacts · shared · photos of 63 audiences
sha256 8d05993c8a616b145a5bb3819d85fc1b892984b02db031b8ed9181712535efad

-- contacts · shared · photos of 2 audiences · cursors
-- contacts · shared · photos of 4 audiences · cursors
-- contacts · shared · photos of 63 audiences · cursors
sha256 c6d8c8fcc3bd53acff127cc0ae360ac2cc18f6e9d16ba8e075d24e14420466ed
