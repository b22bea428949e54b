-- contacts · shared · column

  SELECT live.contact_id, live.at, live.is_friend, live.is_family, live.sees, CAST(FLOOR(LEAST(live.since, 9007199254740991)) AS SIGNED), live.user_id, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT c.contact_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AS at, c.is_friend AS is_friend, c.is_family AS is_family, c.sees, c.user_id, c.since
    FROM recency_contacts AS c
    WHERE c.user_id = ?  AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) AND c.last_upload_at >= 1 AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) <= ? AND (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) < ? OR CAST(c.contact_id AS BINARY) < CAST(? AS BINARY)) 
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.contact_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE

-- contacts · shared · column · named bits, extra columns
sha256 8343754b63308f7af7662aae506d72439895146c7694709997579beaf54bf0eb

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
    WHERE c.user_id = ?  AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) AND c.last_upload_at >= 1 AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) <= ? AND (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) < ? OR CAST(c.contact_id AS BINARY) < CAST(? AS BINARY)) 
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.contact_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'contacts' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'contacts' AND seen_own.source_id = live.contact_id

-- contacts · shared · column · cursors · named bits, extra columns
sha256 574fd2fee6e5214778723b0a1226d6006a56be290669ce1073dcd1169b25a56b

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
    WHERE c.last_upload_at >= 1 AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) <= ? AND (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) < ? OR CAST(c.contact_id AS BINARY) < CAST(? AS BINARY)) 
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.contact_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE

-- contacts · shared · photos · named bits, extra columns
sha256 cd19b7976d7c890153dc7f4ff6ed0271661941605447413b98042dac6e561b9e

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
    WHERE c.last_upload_at >= 1 AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) <= ? AND (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) < ? OR CAST(c.contact_id AS BINARY) < CAST(? AS BINARY)) 
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
    WHERE c.last_upload_at >= 1 AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) <= ? AND (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) < ? OR CAST(c.contact_id AS BINARY) < CAST(? AS BINARY)) 
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.contact_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'contacts' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'contacts' AND seen_own.source_id = live.contact_id
  LEFT JOIN recency_contacts AS whole ON whole.user_id = live.user_id AND whole.contact_id = live.contact_id

-- contacts · separate · column
sha256 96a9a3aabdf4ce8e5dd1da8bb482b4e708a7744ea79587cbdcb4226b4876e63c

-- contacts · separate · column · named bits, extra columns
sha256 623892aaafbf9b9a0906472dd4115b37eecdbd9913a4fe7d04cd6cf8df8ab3bb

-- contacts · separate · column · cursors
sha256 581460e7a157ed853ba186ac605261a2cd19e7e747c72aef1430efc4d97f71f7

-- contacts · separate · column · cursors · named bits, extra columns
sha256 b82c40ec0a58efa949d2a3c7e62f7da5c97ae9c5999c9d45ad098f082497f0d8

-- contacts · separate · photos
-- contacts · separate · photos of 2 audiences
-- contacts · separate · photos of 4 audiences
-- contacts · separate · photos of 63 audiences
sha256 af5b3bc9bb86661d27160ce21bc217b1613947964e6e88588eba2e0c20bdda8c

-- contacts · separate · photos · named bits, extra columns
sha256 40567e4d8c7c38ade78aa87ee4831976f438f0b32954aefa217b4b08ef3c5fe3

-- contacts · separate · photos · cursors
-- contacts · separate · photos of 2 audiences · cursors
-- contacts · separate · photos of 4 audiences · cursors
-- contacts · separate · photos of 63 audiences · cursors
sha256 fc7658d49acade78961c80af6e15d4aa3457919e9f9a0deefded3fbdd8c655b5

-- contacts · separate · photos · cursors · named bits, extra columns
sha256 63aad4c722497b4295203aed128302635dd41277e7720c54d57e8dcb33b14c87

-- groups · shared · column

  SELECT live.group_id, live.at, live.is_friend, live.is_family, live.sees, CAST(FLOOR(LEAST(live.since, 9007199254740991)) AS SIGNED), live.user_id, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT c.group_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AS at, FALSE AS is_friend, FALSE AS is_family, c.sees, c.user_id, c.since
    FROM recency_groups AS c
    WHERE c.user_id = ?  AND (c.related AND c.group_id >= 1 AND TRUE) AND c.last_upload_at >= 1 AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) <= ? AND (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) < ? OR CAST(c.group_id AS BINARY) < CAST(? AS BINARY)) 
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.group_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE

-- groups · shared · column · named bits, extra columns
-- groups · separate · column · named bits, extra columns
sha256 388a256a9ae61a0b97c3c9443e08c3710d20e3de019543c6b7a71da550f9a595

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
    WHERE c.user_id = ?  AND (c.related AND c.group_id >= 1 AND TRUE) AND c.last_upload_at >= 1 AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) <= ? AND (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) < ? OR CAST(c.group_id AS BINARY) < CAST(? AS BINARY)) 
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.group_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'groups' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'groups' AND seen_own.source_id = live.group_id

-- groups · shared · column · cursors · named bits, extra columns
-- groups · separate · column · cursors · named bits, extra columns
sha256 8af0722bc750d970f3e46d9362ce0701a8d7d9eb1557e3227c212eb6f573a1e4

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
    WHERE c.last_upload_at >= 1 AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) <= ? AND (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) < ? OR CAST(c.group_id AS BINARY) < CAST(? AS BINARY)) 
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.group_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE

-- groups · shared · photos · named bits, extra columns
-- groups · separate · photos · named bits, extra columns
sha256 4bf7f44828d700e53a564ac91b7f63f4a5fea6181bd98508f829d6dc58a8b3ef

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
    WHERE c.last_upload_at >= 1 AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) <= ? AND (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) < ? OR CAST(c.group_id AS BINARY) < CAST(? AS BINARY)) 
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
    WHERE c.last_upload_at >= 1 AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) <= ? AND (CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) < ? OR CAST(c.group_id AS BINARY) < CAST(? AS BINARY)) 
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.group_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'groups' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'groups' AND seen_own.source_id = live.group_id
  LEFT JOIN recency_groups AS whole ON whole.user_id = live.user_id AND whole.group_id = live.group_id

-- groups · separate · column
sha256 65429b3632e3e4dfe3d85f580e0413ba18e0a9b04ebd71b75f30f6f646392c47

-- groups · separate · column · cursors
sha256 76202f245b43c0492732fb445cad21c95bbf281dbf7808e2173442872efd10a8

-- groups · separate · photos
-- groups · shared · photos of 2 audiences
-- groups · separate · photos of 2 audiences
-- groups · shared · photos of 4 audiences
-- groups · separate · photos of 4 audiences
-- groups · shared · photos of 63 audiences
-- groups · separate · photos of 63 audiences
sha256 a4d6470c81678d6ee15b504157a241ad119570fbb4e0a704e338f635d1954b00

-- groups · separate · photos · cursors
-- groups · shared · photos of 2 audiences · cursors
-- groups · separate · photos of 2 audiences · cursors
-- groups · shared · photos of 4 audiences · cursors
-- groups · separate · photos of 4 audiences · cursors
-- groups · shared · photos of 63 audiences · cursors
-- groups · separate · photos of 63 audiences · cursors
sha256 1c85bdf84ffffa7e70dda15b27025f76c9973cef59f3005bcf2e94c702725101

-- groups · separate · photos · cursors · named bits, extra columns
sha256 350fd32048ccb24eee9edc34060eec9fa9d785e8aebd0fb9c08b6fe7685dcb94

-- contacts · shared · column · no since
sha256 075949b2f6b8e544761cfbc763963bf5903178dafc5842e360186218f336128c

-- contacts · shared · column · cursors · no since
sha256 702fc6e8598f159d8fe718d633e3b15ea82133ebb44952328e4350fe52c4e3bf

-- contacts · shared · photos · no since
sha256 782e4ab23b71d24b1e171c2de27c4ac20d388a2c449bdf6b5bcd2ccbe596cd1f

-- contacts · shared · photos · cursors · no since
sha256 f8d8de75aa48d03be96cdbc877b7312203ae623bcb4c2af10b360839a6e0d4dc

-- groups · shared · column · no since
sha256 9c9ddf6779d66ec76d1d14487b87dc9565f757dc12a04fee5174505705bde381

-- groups · shared · column · cursors · no since
sha256 85abfc499e9a18af2c493aee222ea05ff0fdfa8d9e7e1ff9695cf735bef7f46c

-- groups · shared · photos · no since
sha256 5884da57a903f0c0cdca302773b3f8c73827555d0924edc49f780acf324992a5

-- groups · shared · photos · cursors · no since
sha256 40a2782d46ff0694b922af69d7eb107aa548b1479d3378d81a88b72d72ca5c9f

-- contacts · shared · photos of 2 audiences
-- contacts · shared · photos of 4 audiences
-- contacts · shared · photos of 63 audiences
sha256 cc5a084d438ce0a6a54674ba56a177a33b873049d8bcbeef84e3aad68757ddcd

-- contacts · shared · photos of 2 audiences · cursors
-- contacts · shared · photos of 4 audiences · cursors
-- contacts · shared · photos of 63 audiences · cursors
sha256 034562501bd0242642b8b0228afe9939a87a2940fca1f634d4f8abf2e9a73b9b
