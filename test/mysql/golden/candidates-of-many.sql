-- contacts · shared · column

  SELECT c.contact_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AS at, c.is_friend AS is_friend, c.is_family AS is_family, c.sees, CAST(FLOOR(LEAST(c.since, 9007199254740991)) AS SIGNED), c.user_id, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (
    JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$[0]', id BIGINT UNSIGNED PATH '$[1]')) AS candidate
    STRAIGHT_JOIN recency_contacts AS c ON c.user_id = candidate.user_id AND c.contact_id = candidate.id) ON TRUE AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id)

-- contacts · shared · column · named bits, extra columns
sha256 9f863b47ceda785deae346d8752c9ba6b17b5068ccebde85200c6ea393fcc8e5

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
    FROM 
    JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$[0]', id BIGINT UNSIGNED PATH '$[1]')) AS candidate
    STRAIGHT_JOIN recency_contacts AS c ON c.user_id = candidate.user_id AND c.contact_id = candidate.id
    WHERE TRUE AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) AND c.last_upload_at >= 1) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'contacts' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'contacts' AND seen_own.source_id = live.contact_id

-- contacts · shared · column · cursors · named bits, extra columns
sha256 6f1381ae7a2946f28feec7b2a5f765f3ff4ac190fd27a20e9c2746b2ecf7fb36

-- contacts · shared · photos

  SELECT c.contact_id, CAST(FLOOR(LEAST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_photos AS p
        WHERE p.owner_id = candidate.id AND p.audience = 0
        ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), 9007199254740991)) AS SIGNED) AS at, c.is_friend AS is_friend, c.is_family AS is_family, c.sees, CAST(FLOOR(LEAST(c.since, 9007199254740991)) AS SIGNED), c.user_id, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (
    JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$[0]', id BIGINT UNSIGNED PATH '$[1]')) AS candidate
    STRAIGHT_JOIN recency_contacts AS c ON c.user_id = candidate.user_id AND c.contact_id = candidate.id) ON TRUE AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id)

-- contacts · shared · photos · named bits, extra columns
sha256 efcc511b6c4eb3c4485d0bdd4ba36329cfbf94494fd1bb6141c74cf4324083dd

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
      FROM 
    JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$[0]', id BIGINT UNSIGNED PATH '$[1]')) AS candidate
    STRAIGHT_JOIN recency_contacts AS c ON c.user_id = candidate.user_id AND c.contact_id = candidate.id WHERE TRUE AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) LIMIT 18446744073709551615) AS c
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
      FROM 
    JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$[0]', id BIGINT UNSIGNED PATH '$[1]')) AS candidate
    STRAIGHT_JOIN recency_contacts AS c ON c.user_id = candidate.user_id AND c.contact_id = candidate.id WHERE TRUE AND (c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id) LIMIT 18446744073709551615) AS c
    WHERE (c.last_upload_at >= 1 OR c.sees >> 1)) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'contacts' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'contacts' AND seen_own.source_id = live.contact_id
  LEFT JOIN recency_contacts AS whole ON whole.user_id = live.user_id AND whole.contact_id = live.contact_id

-- contacts · separate · column
sha256 361ae3f7d3ee08e8eba01f03f29a9aac4ad43e130a432282a90e1c1d2f39b65e

-- contacts · separate · column · named bits, extra columns
sha256 039cae1380703584f255506a45a0e1144ebd368e94301001ad895516b3d44be6

-- contacts · separate · column · cursors
sha256 d5081914ed96c7ced538b0badd62829bb892b03bf5144efacb456a1fd869f9bf

-- contacts · separate · column · cursors · named bits, extra columns
sha256 233e77c4f6549c4e3bd16297ba2b51b45286d1b5e9098ec74e535480846ab886

-- contacts · separate · photos
sha256 af8c8ff835b40a8787e09c0f66a2ca25411cb0b5e4b2d183f806ccb7d327a2d2

-- contacts · separate · photos · named bits, extra columns
sha256 30772708a8b415d56dcccd4f4d0c68032f9378c360e682b6706f9867d48c029c

-- contacts · separate · photos · cursors
sha256 f20efd568efe19a500644aa940c5af7af38ae672c4f11179a09c08284f874a31

-- contacts · separate · photos · cursors · named bits, extra columns
sha256 7139b04ea87be869d9a33628becd0ab4eb65e193ac86903325874b47fefdef8b

-- groups · shared · column

  SELECT c.group_id, CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED) AS at, FALSE AS is_friend, FALSE AS is_family, c.sees, CAST(FLOOR(LEAST(c.since, 9007199254740991)) AS SIGNED), c.user_id, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (
    JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$[0]', id BIGINT UNSIGNED PATH '$[1]')) AS candidate
    STRAIGHT_JOIN recency_groups AS c ON c.user_id = candidate.user_id AND c.group_id = candidate.id) ON TRUE AND (c.related AND c.group_id >= 1 AND TRUE)

-- groups · shared · column · named bits, extra columns
-- groups · separate · column · named bits, extra columns
sha256 f955a4d468ee22c4b6af0c519640466b3a60c1116e72c9d6b163e3311db6dd23

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
    FROM 
    JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$[0]', id BIGINT UNSIGNED PATH '$[1]')) AS candidate
    STRAIGHT_JOIN recency_groups AS c ON c.user_id = candidate.user_id AND c.group_id = candidate.id
    WHERE TRUE AND (c.related AND c.group_id >= 1 AND TRUE) AND c.last_upload_at >= 1) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'groups' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'groups' AND seen_own.source_id = live.group_id

-- groups · shared · column · cursors · named bits, extra columns
-- groups · separate · column · cursors · named bits, extra columns
sha256 6229a4ad6836b8fa5ede21ede6dfdf88c8c895cb59dd5f5fe58a69fbfc061e9a

-- groups · shared · photos

  SELECT c.group_id, CAST(FLOOR(LEAST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_group_photos AS p
        WHERE p.group_id = candidate.id AND p.audience = 0
        ORDER BY p.group_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), 9007199254740991)) AS SIGNED) AS at, FALSE AS is_friend, FALSE AS is_family, c.sees, CAST(FLOOR(LEAST(c.since, 9007199254740991)) AS SIGNED), c.user_id, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (
    JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$[0]', id BIGINT UNSIGNED PATH '$[1]')) AS candidate
    STRAIGHT_JOIN recency_groups AS c ON c.user_id = candidate.user_id AND c.group_id = candidate.id) ON TRUE AND (c.related AND c.group_id >= 1 AND TRUE)

-- groups · shared · photos · named bits, extra columns
-- groups · separate · photos · named bits, extra columns
sha256 a333424b055e6aa6d7c67ac8fb069ab94976e10697897654d790b60ef69b0c76

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
      FROM 
    JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$[0]', id BIGINT UNSIGNED PATH '$[1]')) AS candidate
    STRAIGHT_JOIN recency_groups AS c ON c.user_id = candidate.user_id AND c.group_id = candidate.id WHERE TRUE AND (c.related AND c.group_id >= 1 AND TRUE) LIMIT 18446744073709551615) AS c
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
      FROM 
    JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$[0]', id BIGINT UNSIGNED PATH '$[1]')) AS candidate
    STRAIGHT_JOIN recency_groups AS c ON c.user_id = candidate.user_id AND c.group_id = candidate.id WHERE TRUE AND (c.related AND c.group_id >= 1 AND TRUE) LIMIT 18446744073709551615) AS c
    WHERE (c.last_upload_at >= 1 OR c.sees >> 1)) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'groups' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'groups' AND seen_own.source_id = live.group_id
  LEFT JOIN recency_groups AS whole ON whole.user_id = live.user_id AND whole.group_id = live.group_id

-- groups · separate · column
sha256 9a69d9cc69f48e93002e8bf321de8753c2f56f4f22e2c551f9c290a4066e2eca

-- groups · separate · column · cursors
sha256 f41998cd6e2ece48a25ed24523bbfb4468d55031b174222546a08ed0da392a5a

-- groups · separate · photos
sha256 1ef6ba6aea3cf5a91e04974e4583fabbc15236e1e853713229fde604e5acee48

-- groups · separate · photos · cursors
sha256 c7585efc3060cc76ea9fa6dad4ba88177f01b67493e25699d7703ba64edc39e2

-- groups · separate · photos · cursors · named bits, extra columns
sha256 ae25c9d0f7e3a63ef889ef97695cab429d107ec50b7eeb34d335affd9344b2c9

-- contacts · shared · column · no since
sha256 296c8df0e91e908f048b434f01c3eb25a3cc18b4ef0423d03c3c5657a6932056

-- contacts · shared · column · cursors · no since
sha256 77e7aa10164efd93165d5e04a25c49749249a79712bc1c81e5081cde8c82b2a8

-- contacts · shared · photos · no since
sha256 45972b72cbe4d5699f06f3cecd32ad1e4d07fff0ab0c1574c88de959c43d17ec

-- contacts · shared · photos · cursors · no since
sha256 0ed3bde7cbfa763ba6dea0603361696e4fd50e0cd35f11fd8053f62d1454efd7

-- groups · shared · column · no since
sha256 58853ec0cb6eb36de84634d7f63c7d0f79f6de2fa7069349e9285c9cf858c158

-- groups · shared · column · cursors · no since
sha256 e87944f1f510a533b8d5972e420537933f9fabce3dc69e76c6e03eb0dd8d6db8

-- groups · shared · photos · no since
sha256 bc2064d18ad7ca2ff0c16a1c601e461c592988d6ef2f623e438a4667ad08f5d9

-- groups · shared · photos · cursors · no since
sha256 8c9ceb4c787ee7c9dee150d7bfa34fd589fb4db4329fb2756b315e1b2300fbd4

-- contacts · shared · photos of 2 audiences
sha256 58dcdc4e9a89700f588e4e316b48b8fa0ca6404d2f6fb2e791dc42f0eb1b2217

-- contacts · shared · photos of 2 audiences · cursors
sha256 40e6a134a03d0c85c030e5c35cba75aeb5cd9acbe699817c78a1f494feb4dcf5

-- contacts · separate · photos of 2 audiences
sha256 1651a6e111be4650bf9b5f062025e8f595271a7674ed1ae397b74b9ec06cdaf1

-- contacts · separate · photos of 2 audiences · cursors
sha256 111c7755a8b7b8e7989168e5fda4002b109ae6e9eb91de7e1d7509bada4b781b

-- groups · shared · photos of 2 audiences
-- groups · separate · photos of 2 audiences
sha256 416d78497f89a560e0de19bb70e3529c48c1d6a232fa3dd075d61ebff62684a0

-- groups · shared · photos of 2 audiences · cursors
-- groups · separate · photos of 2 audiences · cursors
sha256 90f4aae33a79034c1802a3dcc49258004158c7ff42dfa667a26a24d99f5a76f8

-- contacts · shared · photos of 4 audiences
sha256 c12d77cbfdaccc73bcd5938bdb08e4a1e465e38cd719acbc2223232ed7eeb34c

-- contacts · shared · photos of 4 audiences · cursors
sha256 61466b7a733a2696c8741a00a9943c3561982bb1a0b7d12e5b57d2c1462e3b28

-- contacts · separate · photos of 4 audiences
sha256 70facfab6543dd38a7b105fb2a6a4d3847b96052daa28e02d011d18123578fbd

-- contacts · separate · photos of 4 audiences · cursors
sha256 f3349a04e0a665985c42229b876e1b55c1edcbd8c59fae9d3cf0ccae576d2c40

-- groups · shared · photos of 4 audiences
-- groups · separate · photos of 4 audiences
sha256 43c02a9cfd8b3e6ff5025df0aa7c32116d4fa5a14b970b4f41bafde66f69aa5d

-- groups · shared · photos of 4 audiences · cursors
-- groups · separate · photos of 4 audiences · cursors
sha256 e899496881eaf8a30d2811e8604eb2ef3906568531ab3ef1c33669ff068c5e69

-- contacts · shared · photos of 63 audiences
sha256 ac9f21d6c3c290769e09909f0816c226c6500189cae6509a089edee92f9286fe

-- contacts · shared · photos of 63 audiences · cursors
sha256 a7100d14a1c3324e556d6a7aa7cf6f3a5ae1b9e61d0dee7ef3eed10b04494d4d

-- contacts · separate · photos of 63 audiences
sha256 54ca1846d6cff4c86fdba1aa457cd524c16edd2d4d69d9b4173beab76fb20961

-- contacts · separate · photos of 63 audiences · cursors
sha256 c4125a971efbef59f8bb2f566bfad4ee4b17521597411379d3a44bdc7a172c0f

-- groups · shared · photos of 63 audiences
-- groups · separate · photos of 63 audiences
sha256 a9587b477ee9fa4914fde253991da0f49c46754e2722f7325a548c53509cd292

-- groups · shared · photos of 63 audiences · cursors
-- groups · separate · photos of 63 audiences · cursors
sha256 043f41c44af6b9c701def863b96e099cff7b4d36ae1df5b031ff46c978947a91
