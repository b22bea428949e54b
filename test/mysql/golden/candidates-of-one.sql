-- contacts · shared · column

  SELECT c.contact_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AS at, c.is_friend AS is_friend, c.is_family AS is_family, c.sees, CAST(FLOOR(LEAST(c.since, 9007199254740991)) AS SIGNED), c.user_id, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS candidate
    STRAIGHT_JOIN recency_contacts AS c ON c.user_id = ? AND c.contact_id = candidate.id) ON TRUE AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id)

-- contacts · shared · column · named bits, extra columns
sha256 0faf2901bb4e0199f9cbe842e027a3670fb55ac58df5d13bcd61b2df6a5833dc

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
    FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS candidate
    STRAIGHT_JOIN recency_contacts AS c ON c.user_id = ? AND c.contact_id = candidate.id
    WHERE TRUE AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) AND c.last_upload_at >= 1) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'contacts' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'contacts' AND seen_own.source_id = live.contact_id

-- contacts · shared · column · cursors · named bits, extra columns
sha256 abd55dc3358fabef6f53fab3de4951614605d5f628008d53d5be4f9b3d351576

-- contacts · shared · photos

  SELECT c.contact_id, CAST(FLOOR(LEAST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_photos AS p
        WHERE p.owner_id = candidate.id AND p.audience = 0
        ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), 9007199254740991)) AS SIGNED) AS at, c.is_friend AS is_friend, c.is_family AS is_family, c.sees, CAST(FLOOR(LEAST(c.since, 9007199254740991)) AS SIGNED), c.user_id, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS candidate
    STRAIGHT_JOIN recency_contacts AS c ON c.user_id = ? AND c.contact_id = candidate.id) ON TRUE AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id)

-- contacts · shared · photos · named bits, extra columns
sha256 29ac7a39d6f3f18a1cfc54951009e8cf09d2d604b3a4ae0908c3f9a746293faf

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
    FROM (SELECT c.user_id AS user_id, c.contact_id AS contact_id, c.is_friend AS is_friend, c.is_family AS is_family, c.sees AS sees, c.since AS since, CAST(FLOOR(LEAST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_photos AS p
        WHERE p.owner_id = candidate.id AND p.audience = 0
        ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), 9007199254740991)) AS SIGNED) AS last_upload_at
      FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS candidate
    STRAIGHT_JOIN recency_contacts AS c ON c.user_id = ? AND c.contact_id = candidate.id WHERE TRUE AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) LIMIT 18446744073709551615) AS c
    WHERE (c.last_upload_at >= 1 OR c.sees >> 1)) AS live ON TRUE
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
    FROM (SELECT c.user_id AS user_id, c.contact_id AS contact_id, c.is_friend AS is_friend, c.is_family AS is_family, c.sees AS sees, c.since AS since, c.bits AS bits, CAST(FLOOR(LEAST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_photos AS p
        WHERE p.owner_id = candidate.id AND p.audience = 0
        ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), 9007199254740991)) AS SIGNED) AS last_upload_at
      FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS candidate
    STRAIGHT_JOIN recency_contacts AS c ON c.user_id = ? AND c.contact_id = candidate.id WHERE TRUE AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) LIMIT 18446744073709551615) AS c
    WHERE (c.last_upload_at >= 1 OR c.sees >> 1)) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'contacts' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'contacts' AND seen_own.source_id = live.contact_id
  LEFT JOIN recency_contacts AS whole ON whole.user_id = live.user_id AND whole.contact_id = live.contact_id

-- contacts · separate · column
sha256 33b40ec26a56c36588ba325465dbb883be4730cdc65a5816fd829ff49fd13393

-- contacts · separate · column · named bits, extra columns
sha256 4dd68e60c38942f7240584b1c710d2c2d8e2bca285b12dc57b1193af68a5fb8b

-- contacts · separate · column · cursors
sha256 9b2e8d4b4f4e2199ba41c07d1ec1dca0203c96c74d8345788331267636cde823

-- contacts · separate · column · cursors · named bits, extra columns
sha256 e307f79628f65ef7b73eee6a6ce38d83499131cb223650eed024913650ec6df7

-- contacts · separate · photos
sha256 810717a441618c73e9ff5375914e86714c26a3b963a67ef83e83455789cfb715

-- contacts · separate · photos · named bits, extra columns
sha256 b84ea8f4fa830090477432fb18a16887f1be19c8ce34bfcd9ad924d8e3d8eb47

-- contacts · separate · photos · cursors
sha256 4fe6486907ddf8155d05d26b56ca2eef91f3ec333f2e727c121da3c12514c7b5

-- contacts · separate · photos · cursors · named bits, extra columns
sha256 486842d7858a0ca55c833f1316095f3049435db388a8aeb916007b83b95b5382

-- groups · shared · column

  SELECT c.group_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AS at, FALSE AS is_friend, FALSE AS is_family, c.sees, CAST(FLOOR(LEAST(c.since, 9007199254740991)) AS SIGNED), c.user_id, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS candidate
    STRAIGHT_JOIN recency_groups AS c ON c.user_id = ? AND c.group_id = candidate.id) ON TRUE AND (c.related AND c.group_id >= 1 AND TRUE)

-- groups · shared · column · named bits, extra columns
-- groups · separate · column · named bits, extra columns
sha256 8b9d94569201fab454afcc050acaf4c995900bc39c804d374ff9040b2f60fe1b

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
    FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS candidate
    STRAIGHT_JOIN recency_groups AS c ON c.user_id = ? AND c.group_id = candidate.id
    WHERE TRUE AND (c.related AND c.group_id >= 1 AND TRUE) AND c.last_upload_at >= 1) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'groups' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'groups' AND seen_own.source_id = live.group_id

-- groups · shared · column · cursors · named bits, extra columns
-- groups · separate · column · cursors · named bits, extra columns
sha256 7f507c6bc976ec10d65cfc4d55e9349ab2017f4bf873e403eea63be9b31532fd

-- groups · shared · photos

  SELECT c.group_id, CAST(FLOOR(LEAST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_group_photos AS p
        WHERE p.group_id = candidate.id AND p.audience = 0
        ORDER BY p.group_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), 9007199254740991)) AS SIGNED) AS at, FALSE AS is_friend, FALSE AS is_family, c.sees, CAST(FLOOR(LEAST(c.since, 9007199254740991)) AS SIGNED), c.user_id, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS candidate
    STRAIGHT_JOIN recency_groups AS c ON c.user_id = ? AND c.group_id = candidate.id) ON TRUE AND (c.related AND c.group_id >= 1 AND TRUE)

-- groups · shared · photos · named bits, extra columns
-- groups · separate · photos · named bits, extra columns
sha256 f83e949915b676d83d8ffcdfad22a78eeaccdf8a67143e6e1d4f3a0975876f91

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
    FROM (SELECT c.user_id AS user_id, c.group_id AS group_id, FALSE AS is_friend, FALSE AS is_family, c.sees AS sees, c.since AS since, CAST(FLOOR(LEAST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_group_photos AS p
        WHERE p.group_id = candidate.id AND p.audience = 0
        ORDER BY p.group_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), 9007199254740991)) AS SIGNED) AS last_upload_at
      FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS candidate
    STRAIGHT_JOIN recency_groups AS c ON c.user_id = ? AND c.group_id = candidate.id WHERE TRUE AND (c.related AND c.group_id >= 1 AND TRUE) LIMIT 18446744073709551615) AS c
    WHERE (c.last_upload_at >= 1 OR c.sees >> 1)) AS live ON TRUE
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
    FROM (SELECT c.user_id AS user_id, c.group_id AS group_id, FALSE AS is_friend, FALSE AS is_family, c.sees AS sees, c.since AS since, 0 AS bits, CAST(FLOOR(LEAST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_group_photos AS p
        WHERE p.group_id = candidate.id AND p.audience = 0
        ORDER BY p.group_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), 9007199254740991)) AS SIGNED) AS last_upload_at
      FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS candidate
    STRAIGHT_JOIN recency_groups AS c ON c.user_id = ? AND c.group_id = candidate.id WHERE TRUE AND (c.related AND c.group_id >= 1 AND TRUE) LIMIT 18446744073709551615) AS c
    WHERE (c.last_upload_at >= 1 OR c.sees >> 1)) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'groups' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'groups' AND seen_own.source_id = live.group_id
  LEFT JOIN recency_groups AS whole ON whole.user_id = live.user_id AND whole.group_id = live.group_id

-- groups · separate · column
sha256 69bc4ceaa83a98fe1c7af8b4d890b7b8112f232e80d7e6b8a82edce60c06bc5d

-- groups · separate · column · cursors
sha256 83ae77da24069775bc1d3affb84c7fa1df81360e415bd2f3a2a86ff79d9acb57

-- groups · separate · photos
sha256 e5ea5a941299b3eac465afc0db5810f5ad0ed40883df6a37242b9387ad5ee619

-- groups · separate · photos · cursors
sha256 0510c8fc35e40f0e36e93981b6bef65bbc1bff5ea538d0e9cfa71b0bbe06cde9

-- groups · separate · photos · cursors · named bits, extra columns
sha256 f26997eadd04277ff2cf188f87c612e1746a2bc995f14179478423065cfa45c9

-- contacts · shared · column · no since
sha256 c8dc42c7e544bd34a83418952d975b653abb58a2ac939638a30e5226ba173bd1

-- contacts · shared · column · cursors · no since
sha256 9c128d9b039e8b94e1c14340d24a6fe59ad678765cce49635aea6682b140db07

-- contacts · shared · photos · no since
sha256 911a7b9ba5865f618a8bc1afad5fd8a9480f2a9af2db009674aa1dbd0504a289

-- contacts · shared · photos · cursors · no since
sha256 c4c435f67cba026f9bd8114bc0a23fdf5960061d7b7e33441b70358ad3ea777e

-- groups · shared · column · no since
sha256 10d9abba72523b0f79851cf8a600da77862e11b74efb0eef48fb5d2937680156

-- groups · shared · column · cursors · no since
sha256 af9f915ec7a53726785336c1fde104c9528ac76ae35288f4f2a32592d64bce96

-- groups · shared · photos · no since
sha256 a1952a7edcc811e4604435dcc7fedd5b5d04ce6b16c15b41d066d7d638849fbc

-- groups · shared · photos · cursors · no since
sha256 82948e582ac9a48f4a0e71303e437660ea46b7602602e8deb729510b65cdbd67

-- contacts · shared · photos of 2 audiences
sha256 71b7807536b4567f7d8af8d67a5d21d8eb45d23a572abdd51c8bbf10aab98897

-- contacts · shared · photos of 2 audiences · cursors
sha256 331343711f13f671ad4f27a620e2c04adeaba1bc9a0e6e87cf1fed928a8aa445

-- contacts · separate · photos of 2 audiences
sha256 0f90d5c8deaf016da682ecb34db477121c6a3d0eafe485723681143b9d5fd374

-- contacts · separate · photos of 2 audiences · cursors
sha256 264c2c3237794fde956fde94d863741f9ccddcb847147c613c760d2890b5a68e

-- groups · shared · photos of 2 audiences
-- groups · separate · photos of 2 audiences
sha256 748b590ffdc9e79de34f822753a8bf43aea88db49de962e13f060bc5417a2629

-- groups · shared · photos of 2 audiences · cursors
-- groups · separate · photos of 2 audiences · cursors
sha256 854c1e1bd8d6a6781e8c3f798791cdef28231a89a5c93b2817101f5b922ba2b4

-- contacts · shared · photos of 4 audiences
sha256 aa0e68712c0e888efe76d7e6cb371dd14b085b7733edc1b974bf9b942b5875cf

-- contacts · shared · photos of 4 audiences · cursors
sha256 c3c0e35e1106a354c02b31f1f453a3421f3f58da066fa9a8166dba7a94c1ffb5

-- contacts · separate · photos of 4 audiences
sha256 b19d2eedf21a3285c0657feb3ccd11a4bbb1f47eb8ae6d053875cbbb8d543428

-- contacts · separate · photos of 4 audiences · cursors
sha256 b51a1947d7e58d5b5c47fc9f4ac893048063dad517305305bdea3dbb09435b95

-- groups · shared · photos of 4 audiences
-- groups · separate · photos of 4 audiences
sha256 7139370b211a56650a567efea676bc5372859cf7b9f287835e47028bc5d28847

-- groups · shared · photos of 4 audiences · cursors
-- groups · separate · photos of 4 audiences · cursors
sha256 76fd8555ae481f9ccf5a6cc2b23664d1dc725df4eeb367f4786300b102872c5f

-- contacts · shared · photos of 63 audiences
sha256 11742b54a0261bb8336325777e500152d74c139dc2bc09d687abb9351421583e

-- contacts · shared · photos of 63 audiences · cursors
sha256 e4b07ccd1a28f3b12fec1f9d08c0ce088243a2e3464e71dbb703584a41ab0017

-- contacts · separate · photos of 63 audiences
sha256 de80e970394a0439224aeb5333cfb006aa5b57ecf37e21042cc81556e2158430

-- contacts · separate · photos of 63 audiences · cursors
sha256 e703a26065a9c99cacf2a694479c6c88b20f9fd37c8583abc76025dcc75a374a

-- groups · shared · photos of 63 audiences
-- groups · separate · photos of 63 audiences
sha256 ac08bcbf5fbf4e77d42ded706a2112e3a1933fc2b4d156571e81a3efa41bff6f

-- groups · shared · photos of 63 audiences · cursors
-- groups · separate · photos of 63 audiences · cursors
sha256 c23a24e1ea43c4f3fc606ae9c7af3648dcbd0dd7d457a1a80e9a009d2b2d1b25
