-- contacts · shared · column

  SELECT c.contact_id, IF((c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id), CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED), 0) AS at, c.is_friend AS is_friend, c.is_family AS is_family, c.sees, CAST(FLOOR(LEAST(c.since, 9007199254740991)) AS SIGNED), c.user_id, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$')) AS owner
    STRAIGHT_JOIN recency_contacts AS c ON c.user_id = owner.user_id) ON TRUE
  LIMIT ?

-- contacts · shared · column · named bits, extra columns
sha256 002c23e97e68a46263f57637cb767f9692a855bc5074e56fd66e58509e21eb9f

-- contacts · shared · column · cursors

  SELECT live.contact_id, live.at, live.is_friend, live.is_family, live.sees, ((seen_all.seen_at IS NULL OR live.at > seen_all.seen_at
      OR (live.at = seen_all.seen_at AND CAST(live.contact_id AS BINARY) > CAST(seen_all.seen_id AS BINARY))) AND (seen_own.seen_at IS NULL OR live.at > seen_own.seen_at OR (live.at = seen_own.seen_at
      AND seen_own.seen_id < 18446744073709551615 AND EXISTS (
      SELECT 1 FROM recency_photos AS tie
      WHERE tie.owner_id = live.contact_id AND tie.audience IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63)
        AND tie.uploaded_at >= live.at AND tie.uploaded_at < live.at + 1
        AND tie.id > seen_own.seen_id AND (live.sees >> tie.audience) & 1))) AND (live.since IS NULL OR live.at > live.since)), live.user_id, e.seen_in_use, seen_all.seen_at, seen_all.seen_id, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (SELECT c.contact_id, IF((c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id), CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED), 0) AS at, c.is_friend AS is_friend, c.is_family AS is_family, c.sees, c.user_id, c.since FROM JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$')) AS owner
    STRAIGHT_JOIN recency_contacts AS c ON c.user_id = owner.user_id WHERE TRUE LIMIT ?) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'contacts' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'contacts' AND seen_own.source_id = live.contact_id

-- contacts · shared · column · cursors · named bits, extra columns
sha256 26958ed65002604741fa8fa80aabb26d42410c617d32e858a53da3c5f12a9c0a

-- contacts · shared · photos

  SELECT c.contact_id, IF((c.related AND c.contact_id >= 1 AND c.user_id <> c.contact_id), CAST(FLOOR(LEAST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_photos AS p
        WHERE p.owner_id = CAST(c.contact_id AS UNSIGNED) AND p.audience = 0
        ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), 9007199254740991)) AS SIGNED), 0) AS at, c.is_friend AS is_friend, c.is_family AS is_family, c.sees, CAST(FLOOR(LEAST(c.since, 9007199254740991)) AS SIGNED), c.user_id, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$')) AS owner
    STRAIGHT_JOIN recency_contacts AS c ON c.user_id = owner.user_id) ON TRUE
  LIMIT ?

-- contacts · shared · photos · named bits, extra columns
sha256 600f01e7bb0eb14dd64657f844445b8c1466d72a23d511d5e0577995ddd45a73

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
        ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), 9007199254740991)) AS SIGNED), 0) AS at, c.is_friend AS is_friend, c.is_family AS is_family, c.sees, c.user_id, c.since FROM JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$')) AS owner
    STRAIGHT_JOIN recency_contacts AS c ON c.user_id = owner.user_id WHERE TRUE LIMIT ?) AS live ON TRUE
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
        ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), 9007199254740991)) AS SIGNED), 0) AS at, c.is_friend AS is_friend, c.is_family AS is_family, c.sees, c.user_id, c.since, (c.bits & 2147483647) AS bits FROM JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$')) AS owner
    STRAIGHT_JOIN recency_contacts AS c ON c.user_id = owner.user_id WHERE TRUE LIMIT ?) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'contacts' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'contacts' AND seen_own.source_id = live.contact_id
  LEFT JOIN recency_contacts AS whole ON whole.user_id = live.user_id AND whole.contact_id = live.contact_id

-- contacts · separate · column
sha256 19d93d448a6895af0f9ddc23ae6484420d9f69927ad4c4a5355bddcad1cbfdb2

-- contacts · separate · column · named bits, extra columns
sha256 51184bf881eedc8b80c956e4965d9b4cc8f12b9939da6a5574e4f98ecb1668ae

-- contacts · separate · column · cursors
sha256 58af597866f5c598a6dbf47e52e29cc9e279bed9e6a6b19c39d5a79e31e4565f

-- contacts · separate · column · cursors · named bits, extra columns
sha256 d8ee6363b8766d183f8c0c407e3dbf9042ea13d17bcf9855f0755fa1092ae287

-- contacts · separate · photos
sha256 098aba75718a1cdee1f6f18f0e4d8d6a129a2ea1ab96531b82886b2d94c16a30

-- contacts · separate · photos · named bits, extra columns
sha256 65f5cf9d6222e2fbca946ead7c447d547e4812fb34e8d2a853fac53470c20e47

-- contacts · separate · photos · cursors
sha256 4f7a9d4692b93a8990fb5a0fbaf78b48e9513e2445c534eafd4a213007134745

-- contacts · separate · photos · cursors · named bits, extra columns
sha256 170b4d70f8cb465cf7b4cd3dcbd4b3936b06f3ed31186477a3702e13fcd75cf0

-- groups · shared · column

  SELECT c.group_id, IF((c.related AND c.group_id >= 1 AND TRUE), CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED), 0) AS at, FALSE AS is_friend, FALSE AS is_family, c.sees, CAST(FLOOR(LEAST(c.since, 9007199254740991)) AS SIGNED), c.user_id, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$')) AS owner
    STRAIGHT_JOIN recency_groups AS c ON c.user_id = owner.user_id) ON TRUE
  LIMIT ?

-- groups · shared · column · named bits, extra columns
-- groups · separate · column · named bits, extra columns
sha256 9238fe7402633df766f81cb3e8fd2fd71bcbb8934b4ce556369628439ec83a29

-- groups · shared · column · cursors

  SELECT live.group_id, live.at, live.is_friend, live.is_family, live.sees, ((seen_all.seen_at IS NULL OR live.at > seen_all.seen_at
      OR (live.at = seen_all.seen_at AND CAST(live.group_id AS BINARY) > CAST(seen_all.seen_id AS BINARY))) AND (seen_own.seen_at IS NULL OR live.at > seen_own.seen_at OR (live.at = seen_own.seen_at
      AND seen_own.seen_id < 18446744073709551615 AND EXISTS (
      SELECT 1 FROM recency_group_photos AS tie
      WHERE tie.group_id = live.group_id AND tie.audience IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63)
        AND tie.uploaded_at >= live.at AND tie.uploaded_at < live.at + 1
        AND tie.id > seen_own.seen_id AND (live.sees >> tie.audience) & 1))) AND (live.since IS NULL OR live.at > live.since)), live.user_id, e.seen_in_use, seen_all.seen_at, seen_all.seen_id, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (SELECT c.group_id, IF((c.related AND c.group_id >= 1 AND TRUE), CAST(FLOOR(LEAST(c.last_upload_at, 9007199254740991)) AS SIGNED), 0) AS at, FALSE AS is_friend, FALSE AS is_family, c.sees, c.user_id, c.since FROM JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$')) AS owner
    STRAIGHT_JOIN recency_groups AS c ON c.user_id = owner.user_id WHERE TRUE LIMIT ?) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'groups' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'groups' AND seen_own.source_id = live.group_id

-- groups · shared · column · cursors · named bits, extra columns
-- groups · separate · column · cursors · named bits, extra columns
sha256 b10c795698f29bf645566de626b9e1b048c9279c22d3263fecb19803db64a5fe

-- groups · shared · photos

  SELECT c.group_id, IF((c.related AND c.group_id >= 1 AND TRUE), CAST(FLOOR(LEAST(IF(c.sees & 1, COALESCE((SELECT p.uploaded_at FROM recency_group_photos AS p
        WHERE p.group_id = CAST(c.group_id AS UNSIGNED) AND p.audience = 0
        ORDER BY p.group_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), 9007199254740991)) AS SIGNED), 0) AS at, FALSE AS is_friend, FALSE AS is_family, c.sees, CAST(FLOOR(LEAST(c.since, 9007199254740991)) AS SIGNED), c.user_id, e.seen_in_use, e.token, CONCAT(@recency_proof, @@global.read_only)
  FROM recency_epoch AS e
  LEFT JOIN (JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$')) AS owner
    STRAIGHT_JOIN recency_groups AS c ON c.user_id = owner.user_id) ON TRUE
  LIMIT ?

-- groups · shared · photos · named bits, extra columns
-- groups · separate · photos · named bits, extra columns
sha256 63d3fb8972896a7913b65b86e688020c7094863c2d353eece14b57010206d41b

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
        ORDER BY p.group_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), 9007199254740991)) AS SIGNED), 0) AS at, FALSE AS is_friend, FALSE AS is_family, c.sees, c.user_id, c.since FROM JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$')) AS owner
    STRAIGHT_JOIN recency_groups AS c ON c.user_id = owner.user_id WHERE TRUE LIMIT ?) AS live ON TRUE
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
        ORDER BY p.group_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0), 0), 9007199254740991)) AS SIGNED), 0) AS at, FALSE AS is_friend, FALSE AS is_family, c.sees, c.user_id, c.since, (0 & 2147483647) AS bits FROM JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$')) AS owner
    STRAIGHT_JOIN recency_groups AS c ON c.user_id = owner.user_id WHERE TRUE LIMIT ?) AS live ON TRUE
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = live.user_id AND seen_all.kind = 'groups' AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = live.user_id AND seen_own.kind = 'groups' AND seen_own.source_id = live.group_id
  LEFT JOIN recency_groups AS whole ON whole.user_id = live.user_id AND whole.group_id = live.group_id

-- groups · separate · column
sha256 70d4e3677da7bd8661369daace58ba6339ed99df04b20a7eb1c2e52c8da539d4

-- groups · separate · column · cursors
sha256 5dfe3911ccc88758a7b6c5fd61c671890d16bd662f92f692bc8e76437212ae92

-- groups · separate · photos
sha256 7f24c68cdd79bf6a1cf000dd341cbe0c446d7955b0dbabbdeb7a8a99537da89e

-- groups · separate · photos · cursors
sha256 92894de5e7a09ef5e72118e8f429ccb254dc7634db50128b7bef73decc2d833d

-- groups · separate · photos · cursors · named bits, extra columns
sha256 453b88a29ff701349cf24061e763d7f816560b1a25ab5e2f118a30c78a05243a

-- contacts · shared · column · no since
sha256 640c5d2a2088a485dfc31e7ebf639fe6e17b1c3014d4b8ef14d72b336dcd1759

-- contacts · shared · column · cursors · no since
sha256 95fab1b432f477cab2fde1de7fcbddf86a77840424fd7c23155571e9b65c14a6

-- contacts · shared · photos · no since
sha256 0633c90122b46ee7cc94b61125a86c98d1fa39c09f5faa7f4c35299c1493a155

-- contacts · shared · photos · cursors · no since
sha256 b60f15484f04d6ed6436f36e5720d259b0b33ab7a498c80c090a57e9d636eb98

-- groups · shared · column · no since
sha256 8a48174422ba9476d923c020dead4efcd70006e6c1b2e7e20af383446f20524b

-- groups · shared · column · cursors · no since
sha256 ced951926ac06f813bb446497f1fb8fd667072703d34cc31d6478005ac6a1d8e

-- groups · shared · photos · no since
sha256 c82a690ff2f18b7ff687a1574b4cf23dda1c8dfec68312434bc0939df6b2cc76

-- groups · shared · photos · cursors · no since
sha256 3e18d36e8df9264c6ce50bb48ef84cf83770352d2792dd2e84bf23ae8f7ab420

-- contacts · shared · photos of 2 audiences
sha256 e7fe3aec6694337b09ce29bbfea74b9c08511808e823a6536c34a0b5f99c3ea0

-- contacts · shared · photos of 2 audiences · cursors
sha256 e2cbe85a4298c85ed37d1b8c78ac34190dd98e3c6f77fb156553edbfa7e38e7c

-- contacts · separate · photos of 2 audiences
sha256 235edb3d36b38cb4208a488741c1695e2a20f94908f60325992c75bbc8ef989e

-- contacts · separate · photos of 2 audiences · cursors
sha256 5fa66f7c2e0fcb05d21925118fc0f26ed42e19db7175df6c7185237a20f93d0b

-- groups · shared · photos of 2 audiences
-- groups · separate · photos of 2 audiences
sha256 26e146132aef2272ec4804df46566fa76e9a2fc8fb23479f2782d9200ad4ff03

-- groups · shared · photos of 2 audiences · cursors
-- groups · separate · photos of 2 audiences · cursors
sha256 007e898785b511d3b519de2610f45210945e97b808da7a57aa61553d21cbac84

-- contacts · shared · photos of 4 audiences
sha256 25bbacf6be4b7ca04f35e5911e91a35d9205e8ef1a5f9bca83c44a33258b7662

-- contacts · shared · photos of 4 audiences · cursors
sha256 ebb44e6406e56bf01dc90380f0624cad1f78d8c4f89f834926805853826fc458

-- contacts · separate · photos of 4 audiences
sha256 e86ae37420689de65fdb445cc965fdf285f6f1af824e3f09cc24b10520841b2e

-- contacts · separate · photos of 4 audiences · cursors
sha256 60aac6c1d63c07d334f5230ba39f04957baf68462c691ad68b5fade5762801d9

-- groups · shared · photos of 4 audiences
-- groups · separate · photos of 4 audiences
sha256 01af0834ad641b6acca765d05966db6a0bdd119b245345bc1d73a78b5a7e00ba

-- groups · shared · photos of 4 audiences · cursors
-- groups · separate · photos of 4 audiences · cursors
sha256 b9eb982b7ddfbf63521b5dacf8dc853afe8a49099dcf7030b156618e25c36871

-- contacts · shared · photos of 63 audiences
sha256 f4ced32795aa32b6ec5cccb331cb82820634283e389094e416dcd9fa95009f3c

-- contacts · shared · photos of 63 audiences · cursors
sha256 17fcca70a64632f7ff102da18f7618053f532bfb85bfde147096106935e42a72

-- contacts · separate · photos of 63 audiences
sha256 a1112603bfc31a6f03d9b54948a33221b9b685775854543812e26e71224dd0f5

-- contacts · separate · photos of 63 audiences · cursors
sha256 80dee979bd41bcd1ee27eca952b4fa3def849b65495c40e125e9216aa54470c7

-- groups · shared · photos of 63 audiences
-- groups · separate · photos of 63 audiences
sha256 139234d67d9bc7ddde2293b649d941e64131f6a3cd615235f0f3aff72b52f942

-- groups · shared · photos of 63 audiences · cursors
-- groups · separate · photos of 63 audiences · cursors
sha256 f796088bc306f8dc7f34cfa4e22e9ce1537a7b6371594ad495469dd3037147bd
