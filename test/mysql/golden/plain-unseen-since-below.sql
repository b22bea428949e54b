-- contacts · shared · column

  SELECT live.contact_id, live.at, live.is_friend, live.is_family, live.sees, CAST(FLOOR(LEAST(live.since, 9007199254740991)) AS SIGNED), live.user_id, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT c.contact_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AS at, c.is_friend AS is_friend, c.is_family AS is_family, c.sees, c.user_id, c.since
    FROM recency_contacts AS c
    WHERE c.user_id = ?  AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) AND c.last_upload_at >= 1 AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) >= ? AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) <= ? AND (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) < ? OR CAST(c.contact_id AS BINARY) < CAST(? AS BINARY)) AND ((c.since IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > c.since))
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.contact_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE

-- contacts · shared · column · named bits, extra columns
sha256 9125e860e7f2e855198760d38289c2cb7132562b913764a23081fa9341494bed

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
    WHERE c.user_id = ?  AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) AND c.last_upload_at >= 1 AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) >= ? AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) <= ? AND (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) < ? OR CAST(c.contact_id AS BINARY) < CAST(? AS BINARY)) AND ((seen_all.seen_at IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > seen_all.seen_at
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
sha256 f9a39d00d1cab5188977bcce8364eb50cf2e07f0abb7965a053d36849bcde03f

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
    WHERE c.last_upload_at >= 1 AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) >= ? AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) <= ? AND (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) < ? OR CAST(c.contact_id AS BINARY) < CAST(? AS BINARY)) AND ((c.since IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > c.since))
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.contact_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE

-- contacts · shared · photos · named bits, extra columns
sha256 ef12fe3e023734b487377aa422b97eafd0679c63f902c2b0b21645ecc655344d

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
    WHERE c.last_upload_at >= 1 AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) >= ? AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) <= ? AND (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) < ? OR CAST(c.contact_id AS BINARY) < CAST(? AS BINARY)) AND ((seen_all.seen_at IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > seen_all.seen_at
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
    WHERE c.last_upload_at >= 1 AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) >= ? AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) <= ? AND (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) < ? OR CAST(c.contact_id AS BINARY) < CAST(? AS BINARY)) AND ((seen_all.seen_at IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > seen_all.seen_at
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
sha256 63b00de399901ae891a1551daffd2381d6184daf4f0b5beebab3546badc444a0

-- contacts · separate · column · named bits, extra columns
sha256 0f65a9586587b632f05f322993b0d8908b4b06d2d41360e7c1ff6ac82c3bdc8c

-- contacts · separate · column · cursors
sha256 075355d49dc0d1041169a7aa3d10ee5a416fb3039cd40ae1ba71f539343794f1

-- contacts · separate · column · cursors · named bits, extra columns
sha256 ebddba883da473135516644e225ad3ca6d808fc3ae326b1c44f00bf99764c7d9

-- contacts · separate · photos
-- contacts · separate · photos of 2 audiences
-- contacts · separate · photos of 4 audiences
-- contacts · separate · photos of 63 audiences
sha256 6251616f037747a6ad592a10c8e557c6cb0f4f622dbe12a9673b6fbacf6e4706

-- contacts · separate · photos · named bits, extra columns
sha256 ef40cfc38161a36aa6d92acebc0bbc2240ce99bdd2c8566e5299da3b1b825c9a

-- contacts · separate · photos · cursors
-- contacts · separate · photos of 2 audiences · cursors
-- contacts · separate · photos of 4 audiences · cursors
-- contacts · separate · photos of 63 audiences · cursors
sha256 5647537678d67f4b7a7c16b7f69e93b8d92d6992caa17f169ac705dd58b4bcf3

-- contacts · separate · photos · cursors · named bits, extra columns
sha256 56914d4382be8009e86d84ecb5bea24bacfedd8767b534f486555663df15aea9

-- groups · shared · column

  SELECT live.group_id, live.at, live.is_friend, live.is_family, live.sees, CAST(FLOOR(LEAST(live.since, 9007199254740991)) AS SIGNED), live.user_id, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT c.group_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AS at, FALSE AS is_friend, FALSE AS is_family, c.sees, c.user_id, c.since
    FROM recency_groups AS c
    WHERE c.user_id = ?  AND (c.related AND c.group_id >= 1 AND TRUE) AND c.last_upload_at >= 1 AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) >= ? AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) <= ? AND (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) < ? OR CAST(c.group_id AS BINARY) < CAST(? AS BINARY)) AND ((c.since IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > c.since))
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.group_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE

-- groups · shared · column · named bits, extra columns
-- groups · separate · column · named bits, extra columns
sha256 c055763f69503da99f1004790e4d82a6d8a57325376d3271a18724313a056ac0

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
    WHERE c.user_id = ?  AND (c.related AND c.group_id >= 1 AND TRUE) AND c.last_upload_at >= 1 AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) >= ? AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) <= ? AND (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) < ? OR CAST(c.group_id AS BINARY) < CAST(? AS BINARY)) AND ((seen_all.seen_at IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > seen_all.seen_at
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
sha256 34ddd844a6203337652cf9b9bb3584695c5d4fc63cd683aebfde92bd6ab41041

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
    WHERE c.last_upload_at >= 1 AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) >= ? AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) <= ? AND (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) < ? OR CAST(c.group_id AS BINARY) < CAST(? AS BINARY)) AND ((c.since IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > c.since))
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.group_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE

-- groups · shared · photos · named bits, extra columns
-- groups · separate · photos · named bits, extra columns
sha256 2a73e68c97bc012f7bf9b2a50a9f48674625f738fbbaee011326cecdb8e3c984

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
    WHERE c.last_upload_at >= 1 AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) >= ? AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) <= ? AND (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) < ? OR CAST(c.group_id AS BINARY) < CAST(? AS BINARY)) AND ((seen_all.seen_at IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > seen_all.seen_at
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
    WHERE c.last_upload_at >= 1 AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) >= ? AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) <= ? AND (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) < ? OR CAST(c.group_id AS BINARY) < CAST(? AS BINARY)) AND ((seen_all.seen_at IS NULL OR CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) > seen_all.seen_at
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
sha256 4d7ee7d45d588936c6a18ea8c895299f095c50b691293c960560bfa744ce4df9

-- groups · separate · column · cursors
sha256 a2545acfc59e0e08c489f8b00e4d44ef7316fe38576a1de18c6d49eda3eb6393

-- groups · separate · photos
-- groups · shared · photos of 2 audiences
-- groups · separate · photos of 2 audiences
-- groups · shared · photos of 4 audiences
-- groups · separate · photos of 4 audiences
-- groups · shared · photos of 63 audiences
-- groups · separate · photos of 63 audiences
sha256 49f421cc6f9e7cbe6c5ef2df448c69e3caf37a86025663b94bd25e6ff42a8798

-- groups · separate · photos · cursors
-- groups · shared · photos of 2 audiences · cursors
-- groups · separate · photos of 2 audiences · cursors
-- groups · shared · photos of 4 audiences · cursors
-- groups · separate · photos of 4 audiences · cursors
-- groups · shared · photos of 63 audiences · cursors
-- groups · separate · photos of 63 audiences · cursors
sha256 f0c1d9290b4912c1ccff4ed2e2aa1ce91f7088aa0ede748ae7a1d6510ed7553c

-- groups · separate · photos · cursors · named bits, extra columns
sha256 518687a9b0ce493b53fe78d8ba93758933d6c3116fae0032ee9ff98bd0881311

-- contacts · shared · column · no since
sha256 36484614591c2063cfd6afbcbd3134ca6e32ade97d606ed781625560186ed16e

-- contacts · shared · column · cursors · no since
sha256 77a4a0cbff6b322ea32b413952a0df36dc65bf4cf34e06060e73fed44a5099ae

-- contacts · shared · photos · no since
sha256 9cad5297e1f19f6efdcae586b50ff1c7a7bf097803ca3fe7232325f0836baab0

-- contacts · shared · photos · cursors · no since
sha256 d7e1c2802f0af0d22cdae1493401d9932f3f807af88b41046ed80c01416c4bce

-- groups · shared · column · no since
sha256 a5bc63c136e13462b922069701cb9cab594cfa904623388ff17df8ce4e4abeff

-- groups · shared · column · cursors · no since
sha256 4aba149fa9d0de2ba5b28fb2a192058512d8312fdefc729f24afc869ff31cc17

-- groups · shared · photos · no since
sha256 cd97483d9eb0dcaceab945b24755ddb5ac3fb091e9a392e3871e57dc3ac3364d

-- groups · shared · photos · cursors · no since
sha256 fca8058f37b50028f961915bd3c1ee753b9e5211b05a24537f8ab1bd3384b24b

-- contacts · shared · photos of 2 audiences
-- contacts · shared · photos of 4 audiences
-- contacts · shared · photos of 63 audiences
sha256 ad84818f7055b4709cfca74148bbeb3d6cda806f7cb847b539c17343c2261583

-- contacts · shared · photos of 2 audiences · cursors
-- contacts · shared · photos of 4 audiences · cursors
-- contacts · shared · photos of 63 audiences · cursors
sha256 e9f3133caadaf40a26142432029a9d8bfd390428477587a112b5bc3d12ac8ebf
