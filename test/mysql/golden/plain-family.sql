-- contacts · shared · column

  SELECT live.contact_id, live.at, live.is_friend, live.is_family, live.sees, CAST(FLOOR(LEAST(live.since, 9007199254740991)) AS SIGNED), live.user_id, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT c.contact_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AS at, c.is_friend AS is_friend, c.is_family AS is_family, c.sees, c.user_id, c.since
    FROM recency_contacts AS c
    WHERE c.user_id = ? AND c.is_family AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) AND c.last_upload_at >= 1
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.contact_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE

-- contacts · shared · column · named bits, extra columns
sha256 386e35e32ca6870986f34164ca041a3cecd74befebde7b5fdb19a2913d33a4ff

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
    WHERE c.user_id = ? AND c.is_family AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) AND c.last_upload_at >= 1
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.contact_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'contacts' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'contacts' AND seen_own.source_id = live.contact_id

-- contacts · shared · column · cursors · named bits, extra columns
sha256 7e62ae6c442f4401b3bb21d1a49beb31db7a3c253d06556dfc051310a28f936e

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
      FROM recency_contacts AS c WHERE c.user_id = ? AND c.is_family AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) LIMIT 18446744073709551615) AS c ORDER BY last_upload_at DESC, CAST(c.contact_id AS BINARY) DESC LIMIT ?) AS c
    WHERE c.last_upload_at >= 1
    ) AS live ON TRUE

-- contacts · shared · photos · named bits, extra columns
sha256 75efb9789bf16355a87aa9680bd4561947c12319f3af64f245698c780c331ccd

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
      FROM recency_contacts AS c WHERE c.user_id = ? AND c.is_family AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) LIMIT 18446744073709551615) AS c ORDER BY last_upload_at DESC, CAST(c.contact_id AS BINARY) DESC LIMIT ?) AS c
    WHERE c.last_upload_at >= 1
    ) AS live ON TRUE
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
      FROM recency_contacts AS c WHERE c.user_id = ? AND c.is_family AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) LIMIT 18446744073709551615) AS c ORDER BY last_upload_at DESC, CAST(c.contact_id AS BINARY) DESC LIMIT ?) AS c
    WHERE c.last_upload_at >= 1
    ) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'contacts' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'contacts' AND seen_own.source_id = live.contact_id
  LEFT JOIN recency_contacts AS whole ON whole.user_id = live.user_id AND whole.contact_id = live.contact_id

-- contacts · separate · column
sha256 3ac0265b96b5b6f40109670df27c360f0921de13bc61be85b54dc1bba9c563db

-- contacts · separate · column · named bits, extra columns
sha256 d4ae671a9a0982a03170e92386bfe3114d47b965e06a9433556d39e81c0d029c

-- contacts · separate · column · cursors
sha256 58e9fc6a5356ca3c432de209eaf52306b2349aadd4ced8bd23cf260471bca217

-- contacts · separate · column · cursors · named bits, extra columns
sha256 16a95786458c747699514df04510104c36b4d5bb345955204d0a77dff84a466d

-- contacts · separate · photos
-- contacts · separate · photos of 2 audiences
-- contacts · separate · photos of 4 audiences
-- contacts · separate · photos of 63 audiences
sha256 9904e29c16e22bc95c62918aaa5f4182d54f9b3b1f0e60a0ea39ab9331fa0d3c

-- contacts · separate · photos · named bits, extra columns
sha256 46df2df9137d11b15125f3a2ae3314fa7b20fcd4efd1c65cda33c459f3990db9

-- contacts · separate · photos · cursors
-- contacts · separate · photos of 2 audiences · cursors
-- contacts · separate · photos of 4 audiences · cursors
-- contacts · separate · photos of 63 audiences · cursors
sha256 535dded5db34a27d8663cc1df2feabc047263c8af2a15d7fac05fe267e16454e

-- contacts · separate · photos · cursors · named bits, extra columns
sha256 4521e72f693c1920a3ea8cc53c56fb932fae760b2393f38a2bb590a35352864d

-- contacts · shared · column · no since
sha256 48ffb274e58092fc7b03bb6239f9b65d57563ce1d44835ae26293f99da3dfc53

-- contacts · shared · column · cursors · no since
sha256 c94ff9c3a555311cd3f757502e107d30d9bf1eec4dfe94716cb18eb6fd0908a1

-- contacts · shared · photos · no since
sha256 edc2bbb0f5df7d4bb7302767e44bad1bb0b85d11c3e44788c34545f77dd1cc4f

-- contacts · shared · photos · cursors · no since
sha256 604bfed6e7256fc92819c1edbf37db60f90beaff05b4ead9009941d7ada4befa

-- contacts · shared · photos of 2 audiences
-- contacts · shared · photos of 4 audiences
-- contacts · shared · photos of 63 audiences
sha256 b152a29bde44ce66c863d5c861586fb99a2b866a828ca0794ac02763b0dc30df

-- contacts · shared · photos of 2 audiences · cursors
-- contacts · shared · photos of 4 audiences · cursors
-- contacts · shared · photos of 63 audiences · cursors
sha256 0a329466ccc97e1731885243ffde2569d3203f039f6b153c6e0a0d56d472d18b
