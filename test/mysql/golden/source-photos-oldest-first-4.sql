-- contacts · shared · column

  SELECT c.sees, c.since, NULL, NULL, NULL, NULL, photo.id, photo.uploaded_at, photo.title, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN recency_contacts AS c ON c.user_id = ? AND c.contact_id = ? AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) AND c.last_upload_at >= 1
  LEFT JOIN (
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?)
  ) AS photo ON (c.sees >> photo.audience) & 1

-- contacts · shared · column · named bits, extra columns
sha256 54ab8805b5f9d6920411d863443c8e2870cfef654aef0505239f147c92a03aa5

-- contacts · shared · column · cursors

  SELECT c.sees, c.since, seen_all.seen_at, seen_all.seen_id, seen_own.seen_at, seen_own.seen_id, photo.id, photo.uploaded_at, photo.title, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN recency_contacts AS c ON c.user_id = ? AND c.contact_id = ? AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) AND c.last_upload_at >= 1
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = c.user_id AND seen_all.kind = 'contacts' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = c.user_id AND seen_own.kind = 'contacts' AND seen_own.source_id = c.contact_id
  LEFT JOIN (
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?)
  ) AS photo ON (c.sees >> photo.audience) & 1

-- contacts · shared · column · cursors · named bits, extra columns
sha256 143feeec4af073f5082a730205dc24c554011a348951add30a420f0fd8048fa8

-- contacts · shared · photos

  SELECT c.sees, c.since, NULL, NULL, NULL, NULL, photo.id, photo.uploaded_at, photo.title, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (SELECT c.user_id AS user_id, c.contact_id AS contact_id, c.is_friend AS is_friend, c.is_family AS is_family, c.sees AS sees, c.since AS since, CAST(FLOOR(LEAST(GREATEST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_photos AS p
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
      FROM recency_contacts AS c WHERE c.user_id = ? AND c.contact_id = ? AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) LIMIT 18446744073709551615) AS c ON c.last_upload_at >= 1
  LEFT JOIN (
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?)
  ) AS photo ON (c.sees >> photo.audience) & 1

-- contacts · shared · photos · named bits, extra columns
sha256 c887ced1c11d0f5fb3a1ab4d2c33e4d6fdcdf9d594476eed8e3c8ec0e7b7f678

-- contacts · shared · photos · cursors

  SELECT c.sees, c.since, seen_all.seen_at, seen_all.seen_id, seen_own.seen_at, seen_own.seen_id, photo.id, photo.uploaded_at, photo.title, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (SELECT c.user_id AS user_id, c.contact_id AS contact_id, c.is_friend AS is_friend, c.is_family AS is_family, c.sees AS sees, c.since AS since, CAST(FLOOR(LEAST(GREATEST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_photos AS p
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
      FROM recency_contacts AS c WHERE c.user_id = ? AND c.contact_id = ? AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) LIMIT 18446744073709551615) AS c ON c.last_upload_at >= 1
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = c.user_id AND seen_all.kind = 'contacts' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = c.user_id AND seen_own.kind = 'contacts' AND seen_own.source_id = c.contact_id
  LEFT JOIN (
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?)
  ) AS photo ON (c.sees >> photo.audience) & 1

-- contacts · shared · photos · cursors · named bits, extra columns

  SELECT c.sees, c.since, seen_all.seen_at, seen_all.seen_id, seen_own.seen_at, seen_own.seen_id, photo.id, photo.uploaded_at, photo.title, e.seen_in_use, CAST(photo.`extra_thumb` AS CHAR), e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (SELECT c.user_id AS user_id, c.contact_id AS contact_id, c.is_friend AS is_friend, c.is_family AS is_family, c.sees AS sees, c.since AS since, c.bits AS bits, CAST(FLOOR(LEAST(GREATEST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_photos AS p
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
      FROM recency_contacts AS c WHERE c.user_id = ? AND c.contact_id = ? AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) LIMIT 18446744073709551615) AS c ON c.last_upload_at >= 1
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = c.user_id AND seen_all.kind = 'contacts' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = c.user_id AND seen_own.kind = 'contacts' AND seen_own.source_id = c.contact_id
  LEFT JOIN (
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title, p.`extra_thumb`
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title, p.`extra_thumb`
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title, p.`extra_thumb`
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title, p.`extra_thumb`
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?)
  ) AS photo ON (c.sees >> photo.audience) & 1

-- contacts · separate · column
sha256 59b5c2ca77768fb33110f07ba907914469a6df844b5f1d8c88356ede2c810f60

-- contacts · separate · column · named bits, extra columns
sha256 b09414730ceff7a20650ace20ef23d4f9cc7f6c14b6c06083b3902d4d5eef82c

-- contacts · separate · column · cursors
sha256 025b06eecaf2ec208c5deb51669dfbc2ea326c83c3482de67c5511f3b49bde4e

-- contacts · separate · column · cursors · named bits, extra columns
sha256 cd4d1ce9fc62b319af7f97f3863210b9cc963a2cad6680d5b47bab88b6c6c400

-- contacts · separate · photos
-- contacts · separate · photos of 2 audiences
-- contacts · separate · photos of 4 audiences
-- contacts · separate · photos of 63 audiences
sha256 80614ff94110aeece3844143ae9ee3e02e9cddb562e6907c5271aa9c1bddff7f

-- contacts · separate · photos · named bits, extra columns
sha256 48bb7f82e20f99a6500cce8c8f46944b758f9ef6f73bad3984508db582dc5706

-- contacts · separate · photos · cursors
-- contacts · separate · photos of 2 audiences · cursors
-- contacts · separate · photos of 4 audiences · cursors
-- contacts · separate · photos of 63 audiences · cursors
sha256 ae98d69687400c9d813d6b5ba6f4d1e5a61b4921a72d5e117f8ea390e6218fb3

-- contacts · separate · photos · cursors · named bits, extra columns
sha256 712d0d6c40b4865b4a5ed91b5778bc47dc190f9485c826cfe4f012e5f06ac41e

-- groups · shared · column

  SELECT c.sees, c.since, NULL, NULL, NULL, NULL, photo.id, photo.uploaded_at, photo.title, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN recency_groups AS c ON c.user_id = ? AND c.group_id = ? AND (c.related AND c.group_id >= 1 AND TRUE) AND c.last_upload_at >= 1
  LEFT JOIN (
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?)
  ) AS photo ON (c.sees >> photo.audience) & 1

-- groups · shared · column · named bits, extra columns
-- groups · separate · column · named bits, extra columns
sha256 f6b4c0d3669584283f6220da6fcae4d9d70306bb72139143f169b572c2b89262

-- groups · shared · column · cursors

  SELECT c.sees, c.since, seen_all.seen_at, seen_all.seen_id, seen_own.seen_at, seen_own.seen_id, photo.id, photo.uploaded_at, photo.title, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN recency_groups AS c ON c.user_id = ? AND c.group_id = ? AND (c.related AND c.group_id >= 1 AND TRUE) AND c.last_upload_at >= 1
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = c.user_id AND seen_all.kind = 'groups' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = c.user_id AND seen_own.kind = 'groups' AND seen_own.source_id = c.group_id
  LEFT JOIN (
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?)
  ) AS photo ON (c.sees >> photo.audience) & 1

-- groups · shared · column · cursors · named bits, extra columns
-- groups · separate · column · cursors · named bits, extra columns
sha256 d663b8271928704d60379a5c107302f17e711af44eb272dfaab65f7ebe1f0bd0

-- groups · shared · photos

  SELECT c.sees, c.since, NULL, NULL, NULL, NULL, photo.id, photo.uploaded_at, photo.title, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (SELECT c.user_id AS user_id, c.group_id AS group_id, FALSE AS is_friend, FALSE AS is_family, c.sees AS sees, c.since AS since, CAST(FLOOR(LEAST(GREATEST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_group_photos AS p
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
      FROM recency_groups AS c WHERE c.user_id = ? AND c.group_id = ? AND (c.related AND c.group_id >= 1 AND TRUE) LIMIT 18446744073709551615) AS c ON c.last_upload_at >= 1
  LEFT JOIN (
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?)
  ) AS photo ON (c.sees >> photo.audience) & 1

-- groups · shared · photos · named bits, extra columns
-- groups · separate · photos · named bits, extra columns
sha256 00bf5ed47f3655658ece6f923da8a7ebab176978b0ae42754a7d9ede43ae3e62

-- groups · shared · photos · cursors

  SELECT c.sees, c.since, seen_all.seen_at, seen_all.seen_id, seen_own.seen_at, seen_own.seen_id, photo.id, photo.uploaded_at, photo.title, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (SELECT c.user_id AS user_id, c.group_id AS group_id, FALSE AS is_friend, FALSE AS is_family, c.sees AS sees, c.since AS since, CAST(FLOOR(LEAST(GREATEST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_group_photos AS p
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
      FROM recency_groups AS c WHERE c.user_id = ? AND c.group_id = ? AND (c.related AND c.group_id >= 1 AND TRUE) LIMIT 18446744073709551615) AS c ON c.last_upload_at >= 1
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = c.user_id AND seen_all.kind = 'groups' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = c.user_id AND seen_own.kind = 'groups' AND seen_own.source_id = c.group_id
  LEFT JOIN (
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?)
  ) AS photo ON (c.sees >> photo.audience) & 1

-- groups · shared · photos · cursors · named bits, extra columns

  SELECT c.sees, c.since, seen_all.seen_at, seen_all.seen_id, seen_own.seen_at, seen_own.seen_id, photo.id, photo.uploaded_at, photo.title, e.seen_in_use, CAST(photo.`extra_thumb` AS CHAR), e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (SELECT c.user_id AS user_id, c.group_id AS group_id, FALSE AS is_friend, FALSE AS is_family, c.sees AS sees, c.since AS since, 0 AS bits, CAST(FLOOR(LEAST(GREATEST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_group_photos AS p
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
      FROM recency_groups AS c WHERE c.user_id = ? AND c.group_id = ? AND (c.related AND c.group_id >= 1 AND TRUE) LIMIT 18446744073709551615) AS c ON c.last_upload_at >= 1
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = c.user_id AND seen_all.kind = 'groups' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = c.user_id AND seen_own.kind = 'groups' AND seen_own.source_id = c.group_id
  LEFT JOIN (
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title, p.`extra_thumb`
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title, p.`extra_thumb`
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title, p.`extra_thumb`
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title, p.`extra_thumb`
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ASC, p.id ASC
     LIMIT ?)
  ) AS photo ON (c.sees >> photo.audience) & 1

-- groups · separate · column
sha256 f2b80466242f46118cd01ed6670c1f4a4e50bca7a262352e8f558d73d870d02b

-- groups · separate · column · cursors
sha256 c1a702b53baae7f35f1ee75fc7fde0bbd899ff3a105b24d3391c3334d0079cd9

-- groups · separate · photos
-- groups · shared · photos of 2 audiences
-- groups · separate · photos of 2 audiences
-- groups · shared · photos of 4 audiences
-- groups · separate · photos of 4 audiences
-- groups · shared · photos of 63 audiences
-- groups · separate · photos of 63 audiences
sha256 aad46e495a7e1d6e3894c29fe9e8a16babe9802250836d3968d4dfd9da504f5c

-- groups · separate · photos · cursors
-- groups · shared · photos of 2 audiences · cursors
-- groups · separate · photos of 2 audiences · cursors
-- groups · shared · photos of 4 audiences · cursors
-- groups · separate · photos of 4 audiences · cursors
-- groups · shared · photos of 63 audiences · cursors
-- groups · separate · photos of 63 audiences · cursors
sha256 e54f47f68432570db0369ea6649878d9f153cdcb18c908dff460fbda907f232f

-- groups · separate · photos · cursors · named bits, extra columns
sha256 69996ee1f22839f86d1cfa6cf82851d112fb2eaef0898f05bb9368b976efbd32

-- contacts · shared · column · no since
sha256 e933dbca284f686b88cd2ebb474af7eaaa6b422c3904c3dee7825952d043ce05

-- contacts · shared · column · cursors · no since
sha256 87224ac27372194480b2815270c1885234c13855a8718cf224805fb84e78eca4

-- contacts · shared · photos · no since
sha256 41d6e7b8850ee302dd990cac1d0caa6cee01ef3bcdf1709edf139085ad8b7ed0

-- contacts · shared · photos · cursors · no since
sha256 78a3433214a6e0e9bf822318a9cee9f013e4f4eb2bfe04837b00d7e187ad46fc

-- groups · shared · column · no since
sha256 739762bbd73359ff0cf0ed74cf88e67e2fb56e8aebe197f78b04ee235f3ea59c

-- groups · shared · column · cursors · no since
sha256 4e0833cdc594aca598a6d504131871f05f8eb26bb06f2eb7b2d4bd0880ef2e1f

-- groups · shared · photos · no since
sha256 16a12747b716bb906ee6c000607e36e12d4ea3d45854a0c27befc80141269563

-- groups · shared · photos · cursors · no since
sha256 bbf2c80432dc7b28ad80593ae0516a60e8dbdcbf3e43a69e81c5927042f86f5b

-- contacts · shared · photos of 2 audiences
-- contacts · shared · photos of 4 audiences
-- contacts · shared · photos of 63 audiences
sha256 6bd9913e36d5d1041e646989e7235d241c20b5acadf52d4e3adb1f9f6fec98c7

-- contacts · shared · photos of 2 audiences · cursors
-- contacts · shared · photos of 4 audiences · cursors
-- contacts · shared · photos of 63 audiences · cursors
sha256 5093f50f684d6d2d06c062e34bb958a56c7c17bb9aa29ed3b2f3127956a93849
