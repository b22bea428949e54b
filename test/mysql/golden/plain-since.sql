-- contacts · shared · column

  SELECT live.contact_id, live.at, live.is_friend, live.is_family, live.sees, CAST(FLOOR(LEAST(live.since, 9007199254740991)) AS SIGNED), live.user_id, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT c.contact_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AS at, c.is_friend AS is_friend, c.is_family AS is_family, c.sees, c.user_id, c.since
    FROM recency_contacts AS c
    WHERE c.user_id = ?  AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) AND c.last_upload_at >= 1 AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) >= ? 
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.contact_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE

-- contacts · shared · column · named bits, extra columns
sha256 52b17b7328a01bd49878cc1834e611ff52364a76ecfdcbc007437d5359547f6f

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
    WHERE c.user_id = ?  AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) AND c.last_upload_at >= 1 AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) >= ? 
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.contact_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'contacts' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'contacts' AND seen_own.source_id = live.contact_id

-- contacts · shared · column · cursors · named bits, extra columns
sha256 0b61a118c306a8b22cee18721ed94ab0d92e0814c024bc150fd5b6d9c47cd428

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
    WHERE c.last_upload_at >= 1 AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) >= ? 
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.contact_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE

-- contacts · shared · photos · named bits, extra columns
sha256 622162df3aa2a6c1f12fd820f6d76247468b371024987fa6fe93f4bb5db1182a

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
    WHERE c.last_upload_at >= 1 AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) >= ? 
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
    WHERE c.last_upload_at >= 1 AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) >= ? 
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.contact_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'contacts' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'contacts' AND seen_own.source_id = live.contact_id
  LEFT JOIN recency_contacts AS whole ON whole.user_id = live.user_id AND whole.contact_id = live.contact_id

-- contacts · separate · column
sha256 a539a7bce4838da10a71d99b278dec68d384a9bd12baea5fa7c9e2d16eae6d5b

-- contacts · separate · column · named bits, extra columns
sha256 d22964345bf3ce252f1b62de44f27d7eccb4d325aea790d769ea136c0eaf078d

-- contacts · separate · column · cursors
sha256 44bf2b72fa5b00afda852c0fe8c749172e82423f05821710fcec360893123b4b

-- contacts · separate · column · cursors · named bits, extra columns
sha256 8efa1835cf88e1eb9ecb9a522c658a22b34b3d4f91d99144b19b1f97c7654615

-- contacts · separate · photos
-- contacts · separate · photos of 2 audiences
-- contacts · separate · photos of 4 audiences
-- contacts · separate · photos of 63 audiences
sha256 a4f168a290fbfc4f4f514f3b68e805dae829102d79934977d57fe60b285d6ab2

-- contacts · separate · photos · named bits, extra columns
sha256 012761b4a4cfb2e745d224b966837ea6a1a9d3b3d566eb898dce84e21a6f2ca6

-- contacts · separate · photos · cursors
-- contacts · separate · photos of 2 audiences · cursors
-- contacts · separate · photos of 4 audiences · cursors
-- contacts · separate · photos of 63 audiences · cursors
sha256 81a1fcca8147f6ea1fc8d4feb5ba5c9dcdce0c918a8bffab85096ee25b3eba0d

-- contacts · separate · photos · cursors · named bits, extra columns
sha256 33ce9eaf90d071497a683eaf76bca96438256368808dd7c5e202d260628f4eb8

-- groups · shared · column

  SELECT live.group_id, live.at, live.is_friend, live.is_family, live.sees, CAST(FLOOR(LEAST(live.since, 9007199254740991)) AS SIGNED), live.user_id, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT c.group_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AS at, FALSE AS is_friend, FALSE AS is_family, c.sees, c.user_id, c.since
    FROM recency_groups AS c
    WHERE c.user_id = ?  AND (c.related AND c.group_id >= 1 AND TRUE) AND c.last_upload_at >= 1 AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) >= ? 
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.group_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE

-- groups · shared · column · named bits, extra columns
-- groups · separate · column · named bits, extra columns
sha256 97981111f2f969a6daa8c4d370998f937fab3d217f7c8fcad80e4d0bfd5007f6

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
    WHERE c.user_id = ?  AND (c.related AND c.group_id >= 1 AND TRUE) AND c.last_upload_at >= 1 AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) >= ? 
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.group_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'groups' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'groups' AND seen_own.source_id = live.group_id

-- groups · shared · column · cursors · named bits, extra columns
-- groups · separate · column · cursors · named bits, extra columns
sha256 f297d143df9297dba0a983106935a86c7b4b5bc11ab79d7ebbbe5834c3ff7050

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
    WHERE c.last_upload_at >= 1 AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) >= ? 
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.group_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE

-- groups · shared · photos · named bits, extra columns
-- groups · separate · photos · named bits, extra columns
sha256 004f4c5d4b73483120665393278794ad594808ea5f3114da9efcdd01ae6fc08d

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
    WHERE c.last_upload_at >= 1 AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) >= ? 
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
    WHERE c.last_upload_at >= 1 AND CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) >= ? 
    ORDER BY CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) DESC, CAST(c.group_id AS BINARY) DESC
    LIMIT ?) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'groups' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'groups' AND seen_own.source_id = live.group_id
  LEFT JOIN recency_groups AS whole ON whole.user_id = live.user_id AND whole.group_id = live.group_id

-- groups · separate · column
sha256 c7e6443c8cbc92bf27ce09229f68c928d53db6c6260cf9185434b8b9e93fc6ca

-- groups · separate · column · cursors
sha256 61d61dae4881c7b52b0daa14c006317c2888f7508b7033e693d2444bf59dd423

-- groups · separate · photos
-- groups · shared · photos of 2 audiences
-- groups · separate · photos of 2 audiences
-- groups · shared · photos of 4 audiences
-- groups · separate · photos of 4 audiences
-- groups · shared · photos of 63 audiences
-- groups · separate · photos of 63 audiences
sha256 bb741e0a3464df592e262d2f2d915878255157fcfa8b037439cb28cc3e8762cc

-- groups · separate · photos · cursors
-- groups · shared · photos of 2 audiences · cursors
-- groups · separate · photos of 2 audiences · cursors
-- groups · shared · photos of 4 audiences · cursors
-- groups · separate · photos of 4 audiences · cursors
-- groups · shared · photos of 63 audiences · cursors
-- groups · separate · photos of 63 audiences · cursors
sha256 db9d7b6863ad278034148988bf3babc5b19d0721abf3b4991731dd7316a7d898

-- groups · separate · photos · cursors · named bits, extra columns
sha256 8c18f11a2527501d619c319ebe6b4804ee8f3e63d997a4ad67b9fd1dcdc51409

-- contacts · shared · column · no since
sha256 0c5d022601954abaf29afcaebb33575d2521f07bd467d8ac88cdfce542d0cdf8

-- contacts · shared · column · cursors · no since
sha256 2ad73e41092a6a73bba190e0f54c6099f87b337b266afd0e58fb33d5ebdd1822

-- contacts · shared · photos · no since
sha256 670a4a338a1465bfe5d87035bb571339fb62465f20cbd17cec2b02ef40ccf912

-- contacts · shared · photos · cursors · no since
sha256 a749860db6bc8d2a81e1f8e5d6fb647760b3cfa616faa95de0f1f37f0e98216f

-- groups · shared · column · no since
sha256 3dceefa4b32cae3e49867833276b2db789b3c2f571d304985398a2764a568076

-- groups · shared · column · cursors · no since
sha256 626c90961ad7e757eccd7276e9b9af777aa5e473f43dfee051a7e41a7ad98623

-- groups · shared · photos · no since
sha256 6508ea1cf79f654e788253e0d1153a7545e9ea961b264b3c4b008388c4462682

-- groups · shared · photos · cursors · no since
sha256 93585d1438d0f39dcb3efd9e4a4200384b7ff6848ca37a54a2bb8680a568d7a6

-- contacts · shared · photos of 2 audiences
-- contacts · shared · photos of 4 audiences
-- contacts · shared · photos of 63 audiences
sha256 fa803cb7b48ca41f4195e97e5036605cfa8bec1e80265a61306722c4797e2a16

-- contacts · shared · photos of 2 audiences · cursors
-- contacts · shared · photos of 4 audiences · cursors
-- contacts · shared · photos of 63 audiences · cursors
sha256 0fdaa4af22b9d6fabe9837f9686cdccf48b5756af50230fdb444ba6fe366b202
