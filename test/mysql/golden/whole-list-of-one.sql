-- contacts · shared · column

  SELECT c.contact_id, IF((c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id), CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED), 0) AS at, c.is_friend AS is_friend, c.is_family AS is_family, c.sees, CAST(FLOOR(LEAST(c.since, 9007199254740991)) AS SIGNED), c.user_id, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (recency_contacts AS c) ON c.user_id = ?
  LIMIT ?

-- contacts · shared · column · named bits, extra columns
sha256 a17ed4b62980a7bce9a4b54a4c6ecf708a2439732ecf5c25ec7ee27715bc3e57

-- contacts · shared · column · cursors

  SELECT live.contact_id, live.at, live.is_friend, live.is_family, live.sees, ((seen_all.seen_at IS NULL OR live.at > seen_all.seen_at
      OR (live.at = seen_all.seen_at AND CAST(live.contact_id AS BINARY) > CAST(seen_all.seen_id AS BINARY))) AND (seen_own.seen_at IS NULL OR live.at > seen_own.seen_at OR (live.at = seen_own.seen_at
      AND seen_own.seen_id < 18446744073709551615 AND EXISTS (
      SELECT 1 FROM recency_photos AS tie
      WHERE tie.owner_id = live.contact_id AND tie.audience IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63)
        AND tie.uploaded_at >= live.at AND tie.uploaded_at < live.at + 1
        AND tie.id > seen_own.seen_id AND (live.sees >> tie.audience) & 1))) AND (live.since IS NULL OR live.at > live.since)), live.user_id, e.seen_in_use, seen_all.seen_at, seen_all.seen_id, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (SELECT c.contact_id, IF((c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id), CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED), 0) AS at, c.is_friend AS is_friend, c.is_family AS is_family, c.sees, c.user_id, c.since FROM recency_contacts AS c WHERE c.user_id = ? LIMIT ?) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'contacts' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'contacts' AND seen_own.source_id = live.contact_id

-- contacts · shared · column · cursors · named bits, extra columns
sha256 e8bc50e35606cb8ae7368866d2bab29bba67b6990ea3bbdbeefa8c832bb34be1

-- contacts · shared · photos

  SELECT c.contact_id, IF((c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id), CAST(FLOOR(LEAST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_photos AS p
        WHERE p.owner_id = CAST(c.contact_id AS UNSIGNED) AND p.audience = 0
        ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), 9007199254740991)) AS SIGNED), 0) AS at, c.is_friend AS is_friend, c.is_family AS is_family, c.sees, CAST(FLOOR(LEAST(c.since, 9007199254740991)) AS SIGNED), c.user_id, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (recency_contacts AS c) ON c.user_id = ?
  LIMIT ?

-- contacts · shared · photos · named bits, extra columns
sha256 b165b09c51b5b6dfd99cdcfabb4961e3634ebd01224a4c40bbfb9d0f2dac62d2

-- contacts · shared · photos · cursors

  SELECT live.contact_id, live.at, live.is_friend, live.is_family, live.sees, ((seen_all.seen_at IS NULL OR live.at > seen_all.seen_at
      OR (live.at = seen_all.seen_at AND CAST(live.contact_id AS BINARY) > CAST(seen_all.seen_id AS BINARY))) AND (seen_own.seen_at IS NULL OR live.at > seen_own.seen_at OR (live.at = seen_own.seen_at
      AND seen_own.seen_id < 18446744073709551615 AND EXISTS (
      SELECT 1 FROM recency_photos AS tie
      WHERE tie.owner_id = live.contact_id AND tie.audience IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63)
        AND tie.uploaded_at >= live.at AND tie.uploaded_at < live.at + 1
        AND tie.id > seen_own.seen_id AND (live.sees >> tie.audience) & 1))) AND (live.since IS NULL OR live.at > live.since)), live.user_id, e.seen_in_use, seen_all.seen_at, seen_all.seen_id, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (SELECT c.contact_id, IF((c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id), CAST(FLOOR(LEAST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_photos AS p
        WHERE p.owner_id = CAST(c.contact_id AS UNSIGNED) AND p.audience = 0
        ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), 9007199254740991)) AS SIGNED), 0) AS at, c.is_friend AS is_friend, c.is_family AS is_family, c.sees, c.user_id, c.since FROM recency_contacts AS c WHERE c.user_id = ? LIMIT ?) AS live ON TRUE
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
  LEFT JOIN (SELECT c.contact_id, IF((c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id), CAST(FLOOR(LEAST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_photos AS p
        WHERE p.owner_id = CAST(c.contact_id AS UNSIGNED) AND p.audience = 0
        ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), 9007199254740991)) AS SIGNED), 0) AS at, c.is_friend AS is_friend, c.is_family AS is_family, c.sees, c.user_id, c.since, (c.bits & 2147483647) AS bits FROM recency_contacts AS c WHERE c.user_id = ? LIMIT ?) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'contacts' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'contacts' AND seen_own.source_id = live.contact_id
  LEFT JOIN recency_contacts AS whole ON whole.user_id = live.user_id AND whole.contact_id = live.contact_id

-- contacts · separate · column
sha256 3af342021e159b315269d75b9a5d1deb96542a0eb0729e1da878d5d6e1579ddf

-- contacts · separate · column · named bits, extra columns
sha256 c8aba8e4fee08d8022b95a510e711d25e2a0b826bf4fcaec955efc18a3923c8e

-- contacts · separate · column · cursors
sha256 6c6c0889053d514634730076f14d6de8c343b1e106bae1b9f45cdc7a52982937

-- contacts · separate · column · cursors · named bits, extra columns
sha256 2a3bddd5d0a71366ee51fe43afa354107a940e589d1baa2d6b6f7c774038096b

-- contacts · separate · photos
sha256 dccd69f619250e5c4e36b04686f9ee85a830da08a99633c04993ef25c60dc3fe

-- contacts · separate · photos · named bits, extra columns
sha256 e9e4f71e5bed530d9c163b66be9c2121c7c76ea8494a07a6b2cd7f5dee9f690f

-- contacts · separate · photos · cursors
sha256 0e7530dac8f84f07481e8e2706413784dc90cbe1caf3fa5217d347cdf0fae6de

-- contacts · separate · photos · cursors · named bits, extra columns
sha256 7b5741966a795c5a4a1c264116eb9449a9ed94281b35958e263beb4219ed0c42

-- groups · shared · column

  SELECT c.group_id, IF((c.related AND c.group_id >= 1 AND TRUE), CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED), 0) AS at, FALSE AS is_friend, FALSE AS is_family, c.sees, CAST(FLOOR(LEAST(c.since, 9007199254740991)) AS SIGNED), c.user_id, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (recency_groups AS c) ON c.user_id = ?
  LIMIT ?

-- groups · shared · column · named bits, extra columns
-- groups · separate · column · named bits, extra columns
sha256 90d37f22c21f0d876b8ee1263e184ebd3d44ae8687de8dcbf017eebe87e5bb07

-- groups · shared · column · cursors

  SELECT live.group_id, live.at, live.is_friend, live.is_family, live.sees, ((seen_all.seen_at IS NULL OR live.at > seen_all.seen_at
      OR (live.at = seen_all.seen_at AND CAST(live.group_id AS BINARY) > CAST(seen_all.seen_id AS BINARY))) AND (seen_own.seen_at IS NULL OR live.at > seen_own.seen_at OR (live.at = seen_own.seen_at
      AND seen_own.seen_id < 18446744073709551615 AND EXISTS (
      SELECT 1 FROM recency_group_photos AS tie
      WHERE tie.group_id = live.group_id AND tie.audience IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63)
        AND tie.uploaded_at >= live.at AND tie.uploaded_at < live.at + 1
        AND tie.id > seen_own.seen_id AND (live.sees >> tie.audience) & 1))) AND (live.since IS NULL OR live.at > live.since)), live.user_id, e.seen_in_use, seen_all.seen_at, seen_all.seen_id, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (SELECT c.group_id, IF((c.related AND c.group_id >= 1 AND TRUE), CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED), 0) AS at, FALSE AS is_friend, FALSE AS is_family, c.sees, c.user_id, c.since FROM recency_groups AS c WHERE c.user_id = ? LIMIT ?) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'groups' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'groups' AND seen_own.source_id = live.group_id

-- groups · shared · column · cursors · named bits, extra columns
-- groups · separate · column · cursors · named bits, extra columns
sha256 3ca5605392d46479caabc88336f799f4daf859542a0d413b194ec1731e372b8c

-- groups · shared · photos

  SELECT c.group_id, IF((c.related AND c.group_id >= 1 AND TRUE), CAST(FLOOR(LEAST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_group_photos AS p
        WHERE p.group_id = CAST(c.group_id AS UNSIGNED) AND p.audience = 0
        ORDER BY p.group_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), 9007199254740991)) AS SIGNED), 0) AS at, FALSE AS is_friend, FALSE AS is_family, c.sees, CAST(FLOOR(LEAST(c.since, 9007199254740991)) AS SIGNED), c.user_id, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (recency_groups AS c) ON c.user_id = ?
  LIMIT ?

-- groups · shared · photos · named bits, extra columns
-- groups · separate · photos · named bits, extra columns
sha256 3a529eb290bc09995654034097d76903575f7b54da4ee65ee3474b129800544d

-- groups · shared · photos · cursors

  SELECT live.group_id, live.at, live.is_friend, live.is_family, live.sees, ((seen_all.seen_at IS NULL OR live.at > seen_all.seen_at
      OR (live.at = seen_all.seen_at AND CAST(live.group_id AS BINARY) > CAST(seen_all.seen_id AS BINARY))) AND (seen_own.seen_at IS NULL OR live.at > seen_own.seen_at OR (live.at = seen_own.seen_at
      AND seen_own.seen_id < 18446744073709551615 AND EXISTS (
      SELECT 1 FROM recency_group_photos AS tie
      WHERE tie.group_id = live.group_id AND tie.audience IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63)
        AND tie.uploaded_at >= live.at AND tie.uploaded_at < live.at + 1
        AND tie.id > seen_own.seen_id AND (live.sees >> tie.audience) & 1))) AND (live.since IS NULL OR live.at > live.since)), live.user_id, e.seen_in_use, seen_all.seen_at, seen_all.seen_id, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (SELECT c.group_id, IF((c.related AND c.group_id >= 1 AND TRUE), CAST(FLOOR(LEAST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_group_photos AS p
        WHERE p.group_id = CAST(c.group_id AS UNSIGNED) AND p.audience = 0
        ORDER BY p.group_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), 9007199254740991)) AS SIGNED), 0) AS at, FALSE AS is_friend, FALSE AS is_family, c.sees, c.user_id, c.since FROM recency_groups AS c WHERE c.user_id = ? LIMIT ?) AS live ON TRUE
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
  LEFT JOIN (SELECT c.group_id, IF((c.related AND c.group_id >= 1 AND TRUE), CAST(FLOOR(LEAST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_group_photos AS p
        WHERE p.group_id = CAST(c.group_id AS UNSIGNED) AND p.audience = 0
        ORDER BY p.group_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), 9007199254740991)) AS SIGNED), 0) AS at, FALSE AS is_friend, FALSE AS is_family, c.sees, c.user_id, c.since, (0 & 2147483647) AS bits FROM recency_groups AS c WHERE c.user_id = ? LIMIT ?) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'groups' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'groups' AND seen_own.source_id = live.group_id
  LEFT JOIN recency_groups AS whole ON whole.user_id = live.user_id AND whole.group_id = live.group_id

-- groups · separate · column
sha256 152d4213183212347e1b14d2ab85c704efa0a991bd5607ab7b6e7a181fbf12ef

-- groups · separate · column · cursors
sha256 4e3b0dfff6dba2001e5e8d51e8112685867d0b60b6b08e7b49b7dd64059e41b4

-- groups · separate · photos
sha256 5a56ae8524b96035d20d25aced0869f51531bc085df760e12c97d8f1826fd26d

-- groups · separate · photos · cursors
sha256 de46d257a71cb34f43499defc19669d7e6184ab20b5115d8896227ba981a8cfc

-- groups · separate · photos · cursors · named bits, extra columns
sha256 34e69b57384cc7ef055f3beb1155093e8a09d4604fc45427b6d61d2ff285e3ec

-- contacts · shared · column · no since
sha256 0d186a92270d035ec0f102ca48426b205c5c22193d4d6fd967194a9a06e41bff

-- contacts · shared · column · cursors · no since
sha256 b4ffcb459bc778c8abc73efeda951ae4a06d2b281e80353ae00aed39327a1b12

-- contacts · shared · photos · no since
sha256 a973d57f816e89ac8273bbabb3a928e093404ecef818652248a5452f3ca926ad

-- contacts · shared · photos · cursors · no since
sha256 bd6759822aadbe6f3717d289f6151df3511ae7be58fffb2e43f990fbad74574a

-- groups · shared · column · no since
sha256 a12fbdc5c343f0c929a53b671064303919b9e7beb0e3b6d2ae238345d8d59efc

-- groups · shared · column · cursors · no since
sha256 032867afc6871522f4e5a2d4126208502f400e82ddec1fe0866e2da411225345

-- groups · shared · photos · no since
sha256 0bf428838c8c96415aa998e719f7ded6b525970f4a04ab2c2664cd2bb6718fef

-- groups · shared · photos · cursors · no since
sha256 9a9b53d49d380ca3ea852f169eb15e8b81ca22226dfd51850b3949af51c522c2

-- contacts · shared · photos of 2 audiences
sha256 684e5b8a04de0f0049f9067e7d6bc0b40cfb10fe0e7a6ba3187317178572b119

-- contacts · shared · photos of 2 audiences · cursors
sha256 ed14c2d73acc7b4b0c73eca6a9e626f13c0df4f9c02e0c4017f6836407b60451

-- contacts · separate · photos of 2 audiences
sha256 d4045c641ec94ecf6ecd662f718e144be13cc244163a3b374ff724a4e3bcee6a

-- contacts · separate · photos of 2 audiences · cursors
sha256 21c80633ee178d2c645b973d966c61017b69364c85ca4b649f24fde0a2b4f083

-- groups · shared · photos of 2 audiences
-- groups · separate · photos of 2 audiences
sha256 05a946ffce5b305e22d655388e4ac59d1845d7f652361857d513ce123f102983

-- groups · shared · photos of 2 audiences · cursors
-- groups · separate · photos of 2 audiences · cursors
sha256 d96274ee8b45a6fb72f7fc97f56db34102d4dca44bb9450348af795a15f8469b

-- contacts · shared · photos of 4 audiences
sha256 fa6d86082cad5a7e2fe7438810329e410b714af4f074ee1a0edc8c565ae31218

-- contacts · shared · photos of 4 audiences · cursors
sha256 fd5591cd3927ecd8723dee5bbc052a3766a70732592863fe7d27158639ae5c23

-- contacts · separate · photos of 4 audiences
sha256 1c7d16898fb932e913b3ab590f56989852cb0ac9171e3eac4531da46c5ee8441

-- contacts · separate · photos of 4 audiences · cursors
sha256 c54cd7dd712342f933ba83e082759a280cf4af6b28ac4ae535d8c23d6fdf517c

-- groups · shared · photos of 4 audiences
-- groups · separate · photos of 4 audiences
sha256 b3e0acf7ed52a3c190cf57009f3a6311f77c366bf043bef191d1a5c969ee8886

-- groups · shared · photos of 4 audiences · cursors
-- groups · separate · photos of 4 audiences · cursors
sha256 dd8ee8a0cbc3340347f4b484e452fcf40566d1789c220d014cfb09d5c7237673

-- contacts · shared · photos of 63 audiences
sha256 a4fabed3babc85e77654b5f86cf01289c16158d33c85587b296eaf6596dbe2dd

-- contacts · shared · photos of 63 audiences · cursors
sha256 544fb128927c77c7f0e4127c3c71da52146eee62873d0eef33e7caa2c72d78c8

-- contacts · separate · photos of 63 audiences
sha256 c662c86b032166371548ed2f34933fb56d8ab96960d38971816dab216237ccee

-- contacts · separate · photos of 63 audiences · cursors
sha256 cbd40279a3e300ffeb0c83190c5ba46359c2a0cffc98e035ecccad46e881aed4

-- groups · shared · photos of 63 audiences
-- groups · separate · photos of 63 audiences
sha256 fd862bac3e5de31c95b51f7669aea3f823cda14e4f3b82ad2c19047c3430c4b5

-- groups · shared · photos of 63 audiences · cursors
-- groups · separate · photos of 63 audiences · cursors
sha256 1f0b152118b611363b75ba0aa86a7dcc731205173ee29460e0a19d96527a88ae
