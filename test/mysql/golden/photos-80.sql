-- contacts · shared · column
sha256 c9e07e2a943255edb065e9e563dee6b6cdb72a7163f547dc07988fe06159553d

-- contacts · shared · column · named bits, extra columns
sha256 efdc2826fc60fcb04d86ec6a7d72736398d28855a7f8e534b89f26eaf832d8e5

-- contacts · shared · column · cursors
sha256 c52f0b8eb337e194a8081dfa6a314f63eec9c3795336862f590ed93f04939f7f

-- contacts · shared · column · cursors · named bits, extra columns
sha256 f327ba8f0df7426054db0907b66a488bd04a98db910eafeecb82c22cc8ff392c

-- contacts · shared · photos
-- contacts · shared · photos of 2 audiences
-- contacts · shared · photos of 4 audiences
-- contacts · shared · photos of 63 audiences
sha256 46c240dc5b52b8fc7fc0402a78ba94a85a51878543040f716b7ca74d6dee6c30

-- contacts · shared · photos · named bits, extra columns
sha256 986a31c01c7fff5f4edf838cc6b2d259cff55153e4978d150b1d1daf01f00013

-- contacts · shared · photos · cursors
-- contacts · shared · photos of 2 audiences · cursors
-- contacts · shared · photos of 4 audiences · cursors
-- contacts · shared · photos of 63 audiences · cursors
sha256 632407c2c0a9d1ccc9a481569f98c46bfb9171914859c2ca95fec7821e4fd98c

-- contacts · shared · photos · cursors · named bits, extra columns
sha256 b98e4df894c8f5f713f6f964700694f0eb2025ed6489672391c93ce140cc996c

-- contacts · separate · column
sha256 63c675628aee456efd4df685ec33b59cca35ebee36a1855fed9ca5edc6a77199

-- contacts · separate · column · named bits, extra columns
sha256 65fe652b7fdcf679e165397cfb421d583c754ee7a3248b77690da6b873d3fc29

-- contacts · separate · column · cursors
sha256 d540411272f87e82ac2183410193e978ab1861ce27ae895d51ecb290c253c32a

-- contacts · separate · column · cursors · named bits, extra columns
sha256 bdcc08fafb0f1b35053494915a11640d800e20b23ec8392427620551157f94ab

-- contacts · separate · photos
-- contacts · separate · photos of 2 audiences
-- contacts · separate · photos of 4 audiences
-- contacts · separate · photos of 63 audiences
sha256 bfb81ce476cccc95e90de46aea0bd378e87fc0227e88366b57bb2296505964d1

-- contacts · separate · photos · named bits, extra columns
sha256 6ddf63dd5e08c3f4f8fff501e8cf02febf1612359daf94cea6550afd92ebf4fd

-- contacts · separate · photos · cursors
-- contacts · separate · photos of 2 audiences · cursors
-- contacts · separate · photos of 4 audiences · cursors
-- contacts · separate · photos of 63 audiences · cursors
sha256 c71a83dd3e04474a59bab4f5a041bb3cb169d18f6f63a1db1639195b1d4bd79b

-- contacts · separate · photos · cursors · named bits, extra columns
sha256 199e759653abb1f8d204530ff418d764c38a91f2119d348ca73cf7d3eff5a3c9

-- groups · shared · column
-- groups · separate · column
sha256 41c6bc9b992beaa3e555173e1dcb67ac929a587a473899e76ffd163ae2d9d20d

-- groups · shared · column · named bits, extra columns
-- groups · separate · column · named bits, extra columns
sha256 bd23b9161aa5b817c7530b21261b6a2ce4d551d4f8ee437e54f044ff9e1a4964

-- groups · shared · column · cursors
-- groups · separate · column · cursors
sha256 2dfdbe368a3e4b04a28bcd65228cf01810d7416623706d4b29bbbf5093eb52d8

-- groups · shared · column · cursors · named bits, extra columns
-- groups · separate · column · cursors · named bits, extra columns
sha256 10afcb1f1be8df541a7dbab75665075f639aad79e2cadcc98516da93ce034b1d

-- groups · shared · photos
-- groups · separate · photos
-- groups · shared · photos of 2 audiences
-- groups · separate · photos of 2 audiences
-- groups · shared · photos of 4 audiences
-- groups · separate · photos of 4 audiences
-- groups · shared · photos of 63 audiences
-- groups · separate · photos of 63 audiences
sha256 05373ec45537d3cfcb5253c9e542c98d53e5ab0559a3dc5de5b9870a8ccc21f3

-- groups · shared · photos · named bits, extra columns
-- groups · separate · photos · named bits, extra columns
sha256 038fd9b7d9d3564fb7afbab551f7bda6a1eeb64c9b0b05bbe2d6d98b1f5d9bbc

-- groups · shared · photos · cursors
-- groups · separate · photos · cursors
-- groups · shared · photos of 2 audiences · cursors
-- groups · separate · photos of 2 audiences · cursors
-- groups · shared · photos of 4 audiences · cursors
-- groups · separate · photos of 4 audiences · cursors
-- groups · shared · photos of 63 audiences · cursors
-- groups · separate · photos of 63 audiences · cursors
sha256 9b084a9aa9b3b0989943253d71a2e6b4fa00e7a6c4df58880e36b5cb8298dde2

-- groups · shared · photos · cursors · named bits, extra columns
-- groups · separate · photos · cursors · named bits, extra columns
sha256 6cab55f4748fee7549dd02c74202bbe5cd137507c5de4ab0cd4a8e671ba11c81

-- contacts · shared · column · no since
sha256 28681f44d5ada91a7a43e2ca59358181c884eca9374aee3b8474fcc41d02b5f6

-- contacts · shared · column · cursors · no since
sha256 3667d4fe5e44e7355d6be325cb6024d8449f3348a54e10308c92390275c7eed9

-- contacts · shared · photos · no since
sha256 69ffada4c3106a2be9b7ef6afd36363d4882bc71188dfa2d3697114f056c59f9

-- contacts · shared · photos · cursors · no since
sha256 7f16ee015148504fa792987ec3b9489240ae42347b44ccef7b98fca5a89041f1

-- groups · shared · column · no since
sha256 3443406420e13d252c8e7d677a2d5b8b54527fc3d4542660af6c5acdf12e83c7

-- groups · shared · column · cursors · no since
sha256 cefc97eab25f6e864b70c58a002a8048c488e37d4f2840b3e3b747c84d214fc0

-- groups · shared · photos · no since
sha256 bb62fc938af2bd721249da6146244df3ccb73c0e898f319c68117d2c234aa4c3

-- groups · shared · photos · cursors · no since
sha256 41c4cdf210170ac87109c44d41289f743a7eb6778f8a80e5e96c097b61d670c1
