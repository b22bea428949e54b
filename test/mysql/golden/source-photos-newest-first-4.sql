-- contacts · shared · column

  SELECT c.sees, c.since, NULL, NULL, NULL, NULL, photo.id, photo.uploaded_at, photo.title, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN recency_contacts AS c ON c.user_id = ? AND c.contact_id = ? AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) AND c.last_upload_at >= 1
  LEFT JOIN (
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?)
  ) AS photo ON (c.sees >> photo.audience) & 1

-- contacts · shared · column · named bits, extra columns
sha256 2ab95ddbd86ca79df0a17798c404495f63042cc860c2988586697a1519896b71

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
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?)
  ) AS photo ON (c.sees >> photo.audience) & 1

-- contacts · shared · column · cursors · named bits, extra columns
sha256 e86da54d9bc8c3cd41babfd294bd9e7f4c9a108ac91bac58cd3baea38a82bb51

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
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?)
  ) AS photo ON (c.sees >> photo.audience) & 1

-- contacts · shared · photos · named bits, extra columns
sha256 7515e86cdbffc10b2c9d5328851f66cecc658c53f5fe48c6e73195fd82a772d2

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
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
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
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title, p.`extra_thumb`
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title, p.`extra_thumb`
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title, p.`extra_thumb`
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?)
  ) AS photo ON (c.sees >> photo.audience) & 1

-- contacts · separate · column
sha256 34ce5a65db6b3ccdeef38d38db24582101480533cb9c36eb435831b3ccc260eb

-- contacts · separate · column · named bits, extra columns
sha256 9305711d4547eef88f8aca87bf1b14cb74fb204f02304bbf094068f01ea0a515

-- contacts · separate · column · cursors
sha256 cae1f1b26148e8cbf8edbaa5bf9ff3b411f8e83c43dd58914f3070a2249f8fe2

-- contacts · separate · column · cursors · named bits, extra columns
sha256 265ef37085539f6be42535a657777ff0e967b5164dea1149f4a376f0a10b644f

-- contacts · separate · photos
-- contacts · separate · photos of 2 audiences
-- contacts · separate · photos of 4 audiences
-- contacts · separate · photos of 63 audiences
sha256 b1a7f57ea7d4050b07952f315bceb6ad7f51175538730ae577663ac8bc211e60

-- contacts · separate · photos · named bits, extra columns
sha256 63930d13f2ec0568a9ee734436a7e74fbcec75628ac989ac955e8696b89d029d

-- contacts · separate · photos · cursors
-- contacts · separate · photos of 2 audiences · cursors
-- contacts · separate · photos of 4 audiences · cursors
-- contacts · separate · photos of 63 audiences · cursors
sha256 0449f9f6f30b9adeed3d75248a2ad13881eddef741ce26deedb202f3993a97e4

-- contacts · separate · photos · cursors · named bits, extra columns
sha256 cbe812fc1480b977f4d68d919a9066408a893b292d7d2d6bff065a7a94bfb967

-- groups · shared · column

  SELECT c.sees, c.since, NULL, NULL, NULL, NULL, photo.id, photo.uploaded_at, photo.title, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN recency_groups AS c ON c.user_id = ? AND c.group_id = ? AND (c.related AND c.group_id >= 1 AND TRUE) AND c.last_upload_at >= 1
  LEFT JOIN (
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?)
  ) AS photo ON (c.sees >> photo.audience) & 1

-- groups · shared · column · named bits, extra columns
-- groups · separate · column · named bits, extra columns
sha256 0d8db11d24fbf4ce8502a6aeb5166ea5a980ced52d32b6ce8f09f7146549b797

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
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?)
  ) AS photo ON (c.sees >> photo.audience) & 1

-- groups · shared · column · cursors · named bits, extra columns
-- groups · separate · column · cursors · named bits, extra columns
sha256 2b3025957cc589fa840c2fc2a9beff4ebe9bd6ef371c7867fb58308a35af8946

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
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?)
  ) AS photo ON (c.sees >> photo.audience) & 1

-- groups · shared · photos · named bits, extra columns
-- groups · separate · photos · named bits, extra columns
sha256 f16455dbd0802c7b6fc8c304a36278ccc1220abdf8c1191ab0bed1f0d3ba0514

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
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
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
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title, p.`extra_thumb`
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title, p.`extra_thumb`
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?) UNION ALL
    (SELECT p.id, p.audience, FLOOR(p.uploaded_at) AS uploaded_at, p.title, p.`extra_thumb`
     FROM recency_group_photos AS p
     WHERE p.group_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?)
  ) AS photo ON (c.sees >> photo.audience) & 1

-- groups · separate · column
sha256 87b009c5573cd53ef09e87646c4a2a5767262a79eed51649f1e162cebe671ed4

-- groups · separate · column · cursors
sha256 6096a313e5c0cb1d1da8904fc7b1dda48c6c1eca3a9861ceec1d6c3c373d7086

-- groups · separate · photos
-- groups · shared · photos of 2 audiences
-- groups · separate · photos of 2 audiences
-- groups · shared · photos of 4 audiences
-- groups · separate · photos of 4 audiences
-- groups · shared · photos of 63 audiences
-- groups · separate · photos of 63 audiences
sha256 ce35410de79a9e083f00e5a6d3557ae484d94985664e5054abf60d897dbb5204

-- groups · separate · photos · cursors
-- groups · shared · photos of 2 audiences · cursors
-- groups · separate · photos of 2 audiences · cursors
-- groups · shared · photos of 4 audiences · cursors
-- groups · separate · photos of 4 audiences · cursors
-- groups · shared · photos of 63 audiences · cursors
-- groups · separate · photos of 63 audiences · cursors
sha256 2e200c8253c53c27ef3c50bd9400165030d0346e14ad3980ce76d093f75364e9

-- groups · separate · photos · cursors · named bits, extra columns
sha256 6c6fe40ecc49cfa5005dd111a006bf1ebae12fa252ebe9cacc87b5d79754d6dd

-- contacts · shared · column · no since
sha256 1950f85eed40110f2493b8b88b2ab8ce59319f9a9f0c54dc1cc402f437a2c560

-- contacts · shared · column · cursors · no since
sha256 452ad856747c9bd3f0df9092f749dc0b3eb23d80e870df65a463ef7019623ecc

-- contacts · shared · photos · no since
sha256 a8eb539a0c683c202923946986a2c20d2948e92f041e00cdddea4c933efce74a

-- contacts · shared · photos · cursors · no since
sha256 603f2ece401dfbd5a77af38a4873aac14c8c5c729e1e3b9c392cc40af0ad5ecc

-- groups · shared · column · no since
sha256 5625063f9bd5c4fc133c72524220e5a82feb1f41286a6af722c9795586c93a2c

-- groups · shared · column · cursors · no since
sha256 29b07feb4651da2ee89c1da66abd1e8f1ad0e1bd077e9ab466913de92a6e8984

-- groups · shared · photos · no since
sha256 a89cc343036daa5df4b1fe64240bc940eee351a13cbcfddd3658f01bf54309cd

-- groups · shared · photos · cursors · no since
sha256 c9ceacc28169bf7fbb11fb5c0a8da32fb2c5c124c15d20914336ae91d7439970

-- contacts · shared · photos of 2 audiences
-- contacts · shared · photos of 4 audiences
-- contacts · shared · photos of 63 audiences
sha256 4915cdee0cac3f4c6007bd2334abb1de7e9611e2de53935a6ca4ff7c6b2c2aa5

-- contacts · shared · photos of 2 audiences · cursors
-- contacts · shared · photos of 4 audiences · cursors
-- contacts · shared · photos of 63 audiences · cursors
sha256 c4d042558bfe2293a47ce6eaa90f4a6379cd16b70d0b5713f1453e38073de7d0
