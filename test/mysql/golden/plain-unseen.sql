-- contacts · shared · column

  SELECT live.contact_id, live.at, live.is_friend, live.is_family, live.sees, CAST(FLOOR(LEAST(live.since, 9007199254740991)) AS SIGNED), live.user_id, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT c.contact_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AS at, c.is_friend AS is_friend, c.is_family AS is_family, c.sees, c.user_id, c.since
    FROM recency_contacts AS c
    WHERE c.user_id = ?  AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) AND c.last_upload_at >= 1  AND ((c.since IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > c.since))
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.contact_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE

-- contacts · shared · column · named bits, extra columns
sha256 9a0efdf561d7c691aff5cac4fccb43bd07e7d665052fd383f30a22f5d3efebd0

-- contacts · shared · column · cursors

  SELECT live.contact_id, live.at, live.is_friend, live.is_family, live.sees, ((seen_all.seen_at IS NULL OR live.at > seen_all.seen_at
      OR (live.at = seen_all.seen_at AND CAST(live.contact_id AS BINARY) > CAST(seen_all.seen_id AS BINARY))) AND (seen_own.seen_at IS NULL OR live.at > seen_own.seen_at OR (live.at = seen_own.seen_at
      AND seen_own.seen_id < 18446744073709551615 AND EXISTS (
      SELECT 1 FROM recency_photos AS tie
      WHERE tie.owner_id = live.contact_id AND tie.audience IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63)
        AND tie.uploaded_at >= live.at AND tie.uploaded_at < live.at + 1
        AND tie.id > seen_own.seen_id AND (live.sees >> tie.audience) & 1))) AND (live.since IS NULL OR live.at > live.since)), live.user_id, e.seen_in_use, seen_all.seen_at, seen_all.seen_id, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT c.contact_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AS at, c.is_friend AS is_friend, c.is_family AS is_family, c.sees, c.user_id, c.since
    FROM recency_contacts AS c
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = c.user_id AND seen_all.kind = 'contacts' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = c.user_id AND seen_own.kind = 'contacts' AND seen_own.source_id = c.contact_id
    WHERE c.user_id = ?  AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) AND c.last_upload_at >= 1  AND ((seen_all.seen_at IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > seen_all.seen_at
      OR (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) = seen_all.seen_at AND CAST(c.contact_id AS BINARY) > CAST(seen_all.seen_id AS BINARY))) AND (seen_own.seen_at IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > seen_own.seen_at OR (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) = seen_own.seen_at
      AND seen_own.seen_id < 18446744073709551615 AND EXISTS (
      SELECT 1 FROM recency_photos AS tie
      WHERE tie.owner_id = c.contact_id AND tie.audience IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63)
        AND tie.uploaded_at >= CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AND tie.uploaded_at < CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) + 1
        AND tie.id > seen_own.seen_id AND (c.sees >> tie.audience) & 1))) AND (c.since IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > c.since))
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.contact_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'contacts' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'contacts' AND seen_own.source_id = live.contact_id

-- contacts · shared · column · cursors · named bits, extra columns
sha256 d8d0813353f82196b906d7561e3fd084f8746e70a38943c6bb1566f016703225

-- contacts · shared · photos

  SELECT live.contact_id, live.at, live.is_friend, live.is_family, live.sees, CAST(FLOOR(LEAST(live.since, 9007199254740991)) AS SIGNED), live.user_id, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT c.contact_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AS at, c.is_friend AS is_friend, c.is_family AS is_family, c.sees, c.user_id, c.since
    FROM (SELECT c.user_id AS user_id, c.contact_id AS contact_id, c.is_friend AS is_friend, c.is_family AS is_family, c.sees AS sees, c.since AS since, CAST(FLOOR(LEAST(GREATEST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_photos AS p
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
      FROM (SELECT c.user_id AS user_id, c.contact_id AS contact_id, c.is_friend AS is_friend, c.is_family AS is_family, c.sees AS sees, c.since AS since
      FROM recency_contacts AS c WHERE c.user_id = ?  AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) LIMIT 18446744073709551615) AS c LIMIT 18446744073709551615) AS c
    WHERE c.last_upload_at >= 1  AND ((c.since IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > c.since))
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.contact_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE

-- contacts · shared · photos · named bits, extra columns
sha256 dbb838fde576eb9ea347713acf14a871306704a8362ea28abae363d26a766089

-- contacts · shared · photos · cursors

  SELECT live.contact_id, live.at, live.is_friend, live.is_family, live.sees, ((seen_all.seen_at IS NULL OR live.at > seen_all.seen_at
      OR (live.at = seen_all.seen_at AND CAST(live.contact_id AS BINARY) > CAST(seen_all.seen_id AS BINARY))) AND (seen_own.seen_at IS NULL OR live.at > seen_own.seen_at OR (live.at = seen_own.seen_at
      AND seen_own.seen_id < 18446744073709551615 AND EXISTS (
      SELECT 1 FROM recency_photos AS tie
      WHERE tie.owner_id = live.contact_id AND tie.audience IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63)
        AND tie.uploaded_at >= live.at AND tie.uploaded_at < live.at + 1
        AND tie.id > seen_own.seen_id AND (live.sees >> tie.audience) & 1))) AND (live.since IS NULL OR live.at > live.since)), live.user_id, e.seen_in_use, seen_all.seen_at, seen_all.seen_id, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT c.contact_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AS at, c.is_friend AS is_friend, c.is_family AS is_family, c.sees, c.user_id, c.since
    FROM (SELECT c.user_id AS user_id, c.contact_id AS contact_id, c.is_friend AS is_friend, c.is_family AS is_family, c.sees AS sees, c.since AS since, CAST(FLOOR(LEAST(GREATEST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_photos AS p
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
      FROM (SELECT c.user_id AS user_id, c.contact_id AS contact_id, c.is_friend AS is_friend, c.is_family AS is_family, c.sees AS sees, c.since AS since
      FROM recency_contacts AS c WHERE c.user_id = ?  AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) LIMIT 18446744073709551615) AS c LIMIT 18446744073709551615) AS c
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = c.user_id AND seen_all.kind = 'contacts' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = c.user_id AND seen_own.kind = 'contacts' AND seen_own.source_id = c.contact_id
    WHERE c.last_upload_at >= 1  AND ((seen_all.seen_at IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > seen_all.seen_at
      OR (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) = seen_all.seen_at AND CAST(c.contact_id AS BINARY) > CAST(seen_all.seen_id AS BINARY))) AND (seen_own.seen_at IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > seen_own.seen_at OR (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) = seen_own.seen_at
      AND seen_own.seen_id < 18446744073709551615 AND EXISTS (
      SELECT 1 FROM recency_photos AS tie
      WHERE tie.owner_id = c.contact_id AND tie.audience IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63)
        AND tie.uploaded_at >= CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AND tie.uploaded_at < CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) + 1
        AND tie.id > seen_own.seen_id AND (c.sees >> tie.audience) & 1))) AND (c.since IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > c.since))
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.contact_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'contacts' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'contacts' AND seen_own.source_id = live.contact_id

-- contacts · shared · photos · cursors · named bits, extra columns

  SELECT live.contact_id, live.at, live.is_friend, live.is_family, live.sees, ((seen_all.seen_at IS NULL OR live.at > seen_all.seen_at
      OR (live.at = seen_all.seen_at AND CAST(live.contact_id AS BINARY) > CAST(seen_all.seen_id AS BINARY))) AND (seen_own.seen_at IS NULL OR live.at > seen_own.seen_at OR (live.at = seen_own.seen_at
      AND seen_own.seen_id < 18446744073709551615 AND EXISTS (
      SELECT 1 FROM recency_photos AS tie
      WHERE tie.owner_id = live.contact_id AND tie.audience IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63)
        AND tie.uploaded_at >= live.at AND tie.uploaded_at < live.at + 1
        AND tie.id > seen_own.seen_id AND (live.sees >> tie.audience) & 1))) AND (live.since IS NULL OR live.at > live.since)), live.user_id, e.seen_in_use, seen_all.seen_at, seen_all.seen_id, CAST(whole.`extra_avatar` AS CHAR), live.bits, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT c.contact_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AS at, c.is_friend AS is_friend, c.is_family AS is_family, c.sees, c.user_id, c.since, (c.bits & 2147483647) AS bits
    FROM (SELECT c.user_id AS user_id, c.contact_id AS contact_id, c.is_friend AS is_friend, c.is_family AS is_family, c.sees AS sees, c.since AS since, c.bits AS bits, CAST(FLOOR(LEAST(GREATEST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_photos AS p
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
      FROM (SELECT c.user_id AS user_id, c.contact_id AS contact_id, c.is_friend AS is_friend, c.is_family AS is_family, c.sees AS sees, c.since AS since, c.bits AS bits
      FROM recency_contacts AS c WHERE c.user_id = ?  AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) LIMIT 18446744073709551615) AS c LIMIT 18446744073709551615) AS c
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = c.user_id AND seen_all.kind = 'contacts' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = c.user_id AND seen_own.kind = 'contacts' AND seen_own.source_id = c.contact_id
    WHERE c.last_upload_at >= 1  AND ((seen_all.seen_at IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > seen_all.seen_at
      OR (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) = seen_all.seen_at AND CAST(c.contact_id AS BINARY) > CAST(seen_all.seen_id AS BINARY))) AND (seen_own.seen_at IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > seen_own.seen_at OR (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) = seen_own.seen_at
      AND seen_own.seen_id < 18446744073709551615 AND EXISTS (
      SELECT 1 FROM recency_photos AS tie
      WHERE tie.owner_id = c.contact_id AND tie.audience IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63)
        AND tie.uploaded_at >= CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AND tie.uploaded_at < CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) + 1
        AND tie.id > seen_own.seen_id AND (c.sees >> tie.audience) & 1))) AND (c.since IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > c.since))
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.contact_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'contacts' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'contacts' AND seen_own.source_id = live.contact_id
  LEFT JOIN recency_contacts AS whole ON whole.user_id = live.user_id AND whole.contact_id = live.contact_id

-- contacts · separate · column
sha256 aad30c6209ec21408cc084b8eea06139523b5bbfe0b789c354cc596c8ebc874c

-- contacts · separate · column · named bits, extra columns
sha256 6f4c51edbf5cdac9e216eadd095f99fd158db0880958af5a0d978b017aaa7be7

-- contacts · separate · column · cursors
sha256 c97094f8a563a20ef8fd5683137322f59802331f306de160d64d7926f4c78e49

-- contacts · separate · column · cursors · named bits, extra columns
sha256 a42672a975c7b5c6a53060f9512b7556e843fc5556b310c4f98cd6696aa3311f

-- contacts · separate · photos
-- contacts · separate · photos of 2 audiences
-- contacts · separate · photos of 4 audiences
-- contacts · separate · photos of 63 audiences
sha256 a53cd412e80b0359df627eb9bbeedd7200c73b2758a00d6693f36292525ac098

-- contacts · separate · photos · named bits, extra columns
sha256 965a3d93d9e9af526457725350373b33754aee9c71c204c6ddc9478a5cd8d763

-- contacts · separate · photos · cursors
-- contacts · separate · photos of 2 audiences · cursors
-- contacts · separate · photos of 4 audiences · cursors
-- contacts · separate · photos of 63 audiences · cursors
sha256 71b0657e511dcad3da21cbb280e89fdd49162025f9709080c9a85579161acab1

-- contacts · separate · photos · cursors · named bits, extra columns
sha256 323a586eaae9c17ed6a1ea8016c9b3cdb0b144243d2b2e067da7522cd81bc006

-- groups · shared · column

  SELECT live.group_id, live.at, live.is_friend, live.is_family, live.sees, CAST(FLOOR(LEAST(live.since, 9007199254740991)) AS SIGNED), live.user_id, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT c.group_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AS at, FALSE AS is_friend, FALSE AS is_family, c.sees, c.user_id, c.since
    FROM recency_groups AS c
    WHERE c.user_id = ?  AND (c.related AND c.group_id >= 1 AND TRUE) AND c.last_upload_at >= 1  AND ((c.since IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > c.since))
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.group_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE

-- groups · shared · column · named bits, extra columns
-- groups · separate · column · named bits, extra columns
sha256 e6a34804265038ee9b72317402f78c81df22946799894bdbcf85fd6ebf60d41f

-- groups · shared · column · cursors

  SELECT live.group_id, live.at, live.is_friend, live.is_family, live.sees, ((seen_all.seen_at IS NULL OR live.at > seen_all.seen_at
      OR (live.at = seen_all.seen_at AND CAST(live.group_id AS BINARY) > CAST(seen_all.seen_id AS BINARY))) AND (seen_own.seen_at IS NULL OR live.at > seen_own.seen_at OR (live.at = seen_own.seen_at
      AND seen_own.seen_id < 18446744073709551615 AND EXISTS (
      SELECT 1 FROM recency_group_photos AS tie
      WHERE tie.group_id = live.group_id AND tie.audience IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63)
        AND tie.uploaded_at >= live.at AND tie.uploaded_at < live.at + 1
        AND tie.id > seen_own.seen_id AND (live.sees >> tie.audience) & 1))) AND (live.since IS NULL OR live.at > live.since)), live.user_id, e.seen_in_use, seen_all.seen_at, seen_all.seen_id, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT c.group_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AS at, FALSE AS is_friend, FALSE AS is_family, c.sees, c.user_id, c.since
    FROM recency_groups AS c
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = c.user_id AND seen_all.kind = 'groups' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = c.user_id AND seen_own.kind = 'groups' AND seen_own.source_id = c.group_id
    WHERE c.user_id = ?  AND (c.related AND c.group_id >= 1 AND TRUE) AND c.last_upload_at >= 1  AND ((seen_all.seen_at IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > seen_all.seen_at
      OR (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) = seen_all.seen_at AND CAST(c.group_id AS BINARY) > CAST(seen_all.seen_id AS BINARY))) AND (seen_own.seen_at IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > seen_own.seen_at OR (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) = seen_own.seen_at
      AND seen_own.seen_id < 18446744073709551615 AND EXISTS (
      SELECT 1 FROM recency_group_photos AS tie
      WHERE tie.group_id = c.group_id AND tie.audience IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63)
        AND tie.uploaded_at >= CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AND tie.uploaded_at < CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) + 1
        AND tie.id > seen_own.seen_id AND (c.sees >> tie.audience) & 1))) AND (c.since IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > c.since))
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.group_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'groups' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'groups' AND seen_own.source_id = live.group_id

-- groups · shared · column · cursors · named bits, extra columns
-- groups · separate · column · cursors · named bits, extra columns
sha256 58c376a9fab0c2715248115fb75455998429a4a7dc0ce1cc34c865a661c67b75

-- groups · shared · photos

  SELECT live.group_id, live.at, live.is_friend, live.is_family, live.sees, CAST(FLOOR(LEAST(live.since, 9007199254740991)) AS SIGNED), live.user_id, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT c.group_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AS at, FALSE AS is_friend, FALSE AS is_family, c.sees, c.user_id, c.since
    FROM (SELECT c.user_id AS user_id, c.group_id AS group_id, FALSE AS is_friend, FALSE AS is_family, c.sees AS sees, c.since AS since, CAST(FLOOR(LEAST(GREATEST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_group_photos AS p
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
      FROM (SELECT c.user_id AS user_id, c.group_id AS group_id, FALSE AS is_friend, FALSE AS is_family, c.sees AS sees, c.since AS since
      FROM recency_groups AS c WHERE c.user_id = ?  AND (c.related AND c.group_id >= 1 AND TRUE) LIMIT 18446744073709551615) AS c LIMIT 18446744073709551615) AS c
    WHERE c.last_upload_at >= 1  AND ((c.since IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > c.since))
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.group_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE

-- groups · shared · photos · named bits, extra columns
-- groups · separate · photos · named bits, extra columns
sha256 2b9fceff3b07317e7584847691506328ab9ebadc43049733b4c85aef13debd26

-- groups · shared · photos · cursors

  SELECT live.group_id, live.at, live.is_friend, live.is_family, live.sees, ((seen_all.seen_at IS NULL OR live.at > seen_all.seen_at
      OR (live.at = seen_all.seen_at AND CAST(live.group_id AS BINARY) > CAST(seen_all.seen_id AS BINARY))) AND (seen_own.seen_at IS NULL OR live.at > seen_own.seen_at OR (live.at = seen_own.seen_at
      AND seen_own.seen_id < 18446744073709551615 AND EXISTS (
      SELECT 1 FROM recency_group_photos AS tie
      WHERE tie.group_id = live.group_id AND tie.audience IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63)
        AND tie.uploaded_at >= live.at AND tie.uploaded_at < live.at + 1
        AND tie.id > seen_own.seen_id AND (live.sees >> tie.audience) & 1))) AND (live.since IS NULL OR live.at > live.since)), live.user_id, e.seen_in_use, seen_all.seen_at, seen_all.seen_id, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT c.group_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AS at, FALSE AS is_friend, FALSE AS is_family, c.sees, c.user_id, c.since
    FROM (SELECT c.user_id AS user_id, c.group_id AS group_id, FALSE AS is_friend, FALSE AS is_family, c.sees AS sees, c.since AS since, CAST(FLOOR(LEAST(GREATEST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_group_photos AS p
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
      FROM (SELECT c.user_id AS user_id, c.group_id AS group_id, FALSE AS is_friend, FALSE AS is_family, c.sees AS sees, c.since AS since
      FROM recency_groups AS c WHERE c.user_id = ?  AND (c.related AND c.group_id >= 1 AND TRUE) LIMIT 18446744073709551615) AS c LIMIT 18446744073709551615) AS c
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = c.user_id AND seen_all.kind = 'groups' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = c.user_id AND seen_own.kind = 'groups' AND seen_own.source_id = c.group_id
    WHERE c.last_upload_at >= 1  AND ((seen_all.seen_at IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > seen_all.seen_at
      OR (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) = seen_all.seen_at AND CAST(c.group_id AS BINARY) > CAST(seen_all.seen_id AS BINARY))) AND (seen_own.seen_at IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > seen_own.seen_at OR (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) = seen_own.seen_at
      AND seen_own.seen_id < 18446744073709551615 AND EXISTS (
      SELECT 1 FROM recency_group_photos AS tie
      WHERE tie.group_id = c.group_id AND tie.audience IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63)
        AND tie.uploaded_at >= CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AND tie.uploaded_at < CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) + 1
        AND tie.id > seen_own.seen_id AND (c.sees >> tie.audience) & 1))) AND (c.since IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > c.since))
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.group_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'groups' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'groups' AND seen_own.source_id = live.group_id

-- groups · shared · photos · cursors · named bits, extra columns

  SELECT live.group_id, live.at, live.is_friend, live.is_family, live.sees, ((seen_all.seen_at IS NULL OR live.at > seen_all.seen_at
      OR (live.at = seen_all.seen_at AND CAST(live.group_id AS BINARY) > CAST(seen_all.seen_id AS BINARY))) AND (seen_own.seen_at IS NULL OR live.at > seen_own.seen_at OR (live.at = seen_own.seen_at
      AND seen_own.seen_id < 18446744073709551615 AND EXISTS (
      SELECT 1 FROM recency_group_photos AS tie
      WHERE tie.group_id = live.group_id AND tie.audience IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63)
        AND tie.uploaded_at >= live.at AND tie.uploaded_at < live.at + 1
        AND tie.id > seen_own.seen_id AND (live.sees >> tie.audience) & 1))) AND (live.since IS NULL OR live.at > live.since)), live.user_id, e.seen_in_use, seen_all.seen_at, seen_all.seen_id, CAST(whole.`extra_avatar` AS CHAR), live.bits, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT c.group_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AS at, FALSE AS is_friend, FALSE AS is_family, c.sees, c.user_id, c.since, (0 & 2147483647) AS bits
    FROM (SELECT c.user_id AS user_id, c.group_id AS group_id, FALSE AS is_friend, FALSE AS is_family, c.sees AS sees, c.since AS since, 0 AS bits, CAST(FLOOR(LEAST(GREATEST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_group_photos AS p
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
      FROM (SELECT c.user_id AS user_id, c.group_id AS group_id, FALSE AS is_friend, FALSE AS is_family, c.sees AS sees, c.since AS since, 0 AS bits
      FROM recency_groups AS c WHERE c.user_id = ?  AND (c.related AND c.group_id >= 1 AND TRUE) LIMIT 18446744073709551615) AS c LIMIT 18446744073709551615) AS c
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = c.user_id AND seen_all.kind = 'groups' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = c.user_id AND seen_own.kind = 'groups' AND seen_own.source_id = c.group_id
    WHERE c.last_upload_at >= 1  AND ((seen_all.seen_at IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > seen_all.seen_at
      OR (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) = seen_all.seen_at AND CAST(c.group_id AS BINARY) > CAST(seen_all.seen_id AS BINARY))) AND (seen_own.seen_at IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > seen_own.seen_at OR (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) = seen_own.seen_at
      AND seen_own.seen_id < 18446744073709551615 AND EXISTS (
      SELECT 1 FROM recency_group_photos AS tie
      WHERE tie.group_id = c.group_id AND tie.audience IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63)
        AND tie.uploaded_at >= CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AND tie.uploaded_at < CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) + 1
        AND tie.id > seen_own.seen_id AND (c.sees >> tie.audience) & 1))) AND (c.since IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > c.since))
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.group_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'groups' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'groups' AND seen_own.source_id = live.group_id
  LEFT JOIN recency_groups AS whole ON whole.user_id = live.user_id AND whole.group_id = live.group_id

-- groups · separate · column
sha256 df500681f7a639d0c5836feb16efce86f070d119444d59ba69e4f62fd2c536b3

-- groups · separate · column · cursors
sha256 1464fbb4587d020eeb055c3aa1743a46192647f211d02c4950ff80a0de9777c5

-- groups · separate · photos
-- groups · shared · photos of 2 audiences
-- groups · separate · photos of 2 audiences
-- groups · shared · photos of 4 audiences
-- groups · separate · photos of 4 audiences
-- groups · shared · photos of 63 audiences
-- groups · separate · photos of 63 audiences
sha256 9ee80a6627a9c9e0b56f7a022b4afc4528246dd77b772b145b3f565cbeef1cfd

-- groups · separate · photos · cursors
-- groups · shared · photos of 2 audiences · cursors
-- groups · separate · photos of 2 audiences · cursors
-- groups · shared · photos of 4 audiences · cursors
-- groups · separate · photos of 4 audiences · cursors
-- groups · shared · photos of 63 audiences · cursors
-- groups · separate · photos of 63 audiences · cursors
sha256 6ea920ecba5cb690722f4e27e5430e522df7ff4293b59d4df4cfdf06ed6d53fd

-- groups · separate · photos · cursors · named bits, extra columns
sha256 56f5a776178d4d6eb854a465c5d392e4940525d47eac6dc8382c90f673caa333

-- contacts · shared · column · no since
sha256 6d36444ecec10ee8b780d295bf7255b0d82ae8b60e7a3e939153ff671c9d8857

-- contacts · shared · column · cursors · no since
sha256 0dcb3008b3719adf8cdf78ccd85e4a5315ae043bb3078aad0c8574d7e031e837

-- contacts · shared · photos · no since
sha256 1973641ac849647a43fac41d5e3344516380b295488ea371170d02f13c429d09

-- contacts · shared · photos · cursors · no since
sha256 3d476834025823608238a5dbb0947037ddb58c5fdf7d8964c551030d46204cc2

-- groups · shared · column · no since
sha256 357455e0b5d6ddb2ff9c517a8031cae0f7113e047361b35328b5656d09cb61f4

-- groups · shared · column · cursors · no since
sha256 955faa9250392047f19f2fb3704da51985682158fd195e7216a658b88beaae36

-- groups · shared · photos · no since
sha256 1a89d0d700258a4546a4dad7502e052ca730220cf054a490b17cde9c2440b1f3

-- groups · shared · photos · cursors · no since
sha256 29e73137e05f7ac5201b1f2e41f189b7101bb0b67e07820586eaffe9f65c6d05

-- contacts · shared · photos of 2 audiences
-- contacts · shared · photos of 4 audiences
-- contacts · shared · photos of 63 audiences
sha256 dc9c9a900decb9e986589e03d81e0617659f4ebf5af3c0c15c693895b169c6e5

-- contacts · shared · photos of 2 audiences · cursors
-- contacts · shared · photos of 4 audiences · cursors
-- contacts · shared · photos of 63 audiences · cursors
sha256 1bf74b07702dacef870270b66d3294bacf062e00d1d18ba203cf997c953c1447
