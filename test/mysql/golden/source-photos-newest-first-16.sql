-- contacts · shared · column
sha256 9687c636b72277c0145f093f3a46ef45d6c54b1cf89d5499edbc472a912cdc7b

-- contacts · shared · column · named bits, extra columns
sha256 922432a8ef4284a25e2ee27dadf9af6adf9a3603fdfa31f375fb08cd5fb127ee

-- contacts · shared · column · cursors
sha256 001916cdb874d3f9bbb86828d1ddfc282d11b2cc35eb7241706a6f5b8a2f2c85

-- contacts · shared · column · cursors · named bits, extra columns
sha256 eb47d5d82deddf8f077a6628385bd36c224ecb876bc06badd30eb74d401cb6fa

-- contacts · shared · photos
-- contacts · shared · photos of 2 audiences
-- contacts · shared · photos of 4 audiences
-- contacts · shared · photos of 63 audiences
sha256 851591487dfb58e9c813394850eb4a27ef5829ca5b0595a4b0dfc29b6a3ee844

-- contacts · shared · photos · named bits, extra columns
sha256 0df699d7ce3acebea8740827dea267cdba7a0dcc1ecc278e9733bdab45088108

-- contacts · shared · photos · cursors
-- contacts · shared · photos of 2 audiences · cursors
-- contacts · shared · photos of 4 audiences · cursors
-- contacts · shared · photos of 63 audiences · cursors
sha256 2d9b83f62882c9c53ce605b16ba5ed6d672053b77559d0e29f62ee4f7af48596

-- contacts · shared · photos · cursors · named bits, extra columns
sha256 499d0369652de9bb68a0a9854be873b4696a01bd5b65f0bec665a502f647626f

-- contacts · separate · column
sha256 178c8981ec727a2dde9fe9a8b13d911c1c309aac0a4a6d7764e782a1997bc1e0

-- contacts · separate · column · named bits, extra columns
sha256 d1e5c40059e995501f497d670c9bbc428dea718ef3a3e88efbd54ca84fd4ba00

-- contacts · separate · column · cursors
sha256 03f4e412782cb28809bce5e8405389ae8b57af92a8f750fe968162430bf9a987

-- contacts · separate · column · cursors · named bits, extra columns
sha256 f9a84fba8e8cfa5872fc522380f185a14c6ae3e6ccd85b68f7e13d7d0d24f282

-- contacts · separate · photos
-- contacts · separate · photos of 2 audiences
-- contacts · separate · photos of 4 audiences
-- contacts · separate · photos of 63 audiences
sha256 4c8303febc49e8499220f71c9c8d3a39aa911e597b614af3572527c14d8da12b

-- contacts · separate · photos · named bits, extra columns
sha256 44545f411f8a55f891f4b134e3f9311e4a17a70722bfdad5f60cd8aad91a5667

-- contacts · separate · photos · cursors
-- contacts · separate · photos of 2 audiences · cursors
-- contacts · separate · photos of 4 audiences · cursors
-- contacts · separate · photos of 63 audiences · cursors
sha256 cbc77717ca944463b8a23c3ff6e99436437c6377c8337d5f4fba3688a62b674c

-- contacts · separate · photos · cursors · named bits, extra columns
sha256 a879df72b509741b903189acbf8d821c5c9ab2c7fc28df8ae724eacea04fcf84

-- groups · shared · column
-- groups · separate · column
sha256 bb6ed9b5f62a9bb15627ad172934af7a188da4c54c62f273d18ed80e259696e4

-- groups · shared · column · named bits, extra columns
-- groups · separate · column · named bits, extra columns
sha256 cf186b0d62685a3a549486bffb5da40c2a1c910ad9098aace5ed1cea34f93c24

-- groups · shared · column · cursors
-- groups · separate · column · cursors
sha256 7119c2a9b19e28c635421a61d470c3e1d260b367a118e349fa10cc660b6a4f1a

-- groups · shared · column · cursors · named bits, extra columns
-- groups · separate · column · cursors · named bits, extra columns
sha256 431d1cefb6e2307f141844287f1f2311545648dfc67b289a794303232602704b

-- groups · shared · photos
-- groups · separate · photos
-- groups · shared · photos of 2 audiences
-- groups · separate · photos of 2 audiences
-- groups · shared · photos of 4 audiences
-- groups · separate · photos of 4 audiences
-- groups · shared · photos of 63 audiences
-- groups · separate · photos of 63 audiences
sha256 488c0e9f5a5f5508bd0be9854fa21c687b2ca10fe22e0866169b4f0978baa659

-- groups · shared · photos · named bits, extra columns
-- groups · separate · photos · named bits, extra columns
sha256 1a389f7d31db5a1069bb9011be091e5e501f69007a0a9666218ca73691f75c9d

-- groups · shared · photos · cursors
-- groups · separate · photos · cursors
-- groups · shared · photos of 2 audiences · cursors
-- groups · separate · photos of 2 audiences · cursors
-- groups · shared · photos of 4 audiences · cursors
-- groups · separate · photos of 4 audiences · cursors
-- groups · shared · photos of 63 audiences · cursors
-- groups · separate · photos of 63 audiences · cursors
sha256 8b806a93f83db537fd4807bf6391ccf2268fec1f3ffcf2e2d8f367cfb7cb08cd

-- groups · shared · photos · cursors · named bits, extra columns
-- groups · separate · photos · cursors · named bits, extra columns
sha256 ef91625780c45a3e62bb768ff21b6d17c0fdcf304cbf5c58a50f0319f5a2611a

-- contacts · shared · column · no since
sha256 c47bb20eb2a9d4caaa7216b290fc430df0cbc15206f712f4f411fe73fec976cb

-- contacts · shared · column · cursors · no since
sha256 5757533c620c01511218f2e3b0477592b161fce882939e0a8492d9afe0406f80

-- contacts · shared · photos · no since
sha256 d7a98f58062664cedeed4600fc27744798a065291be2439af55cdd7dc161ac5c

-- contacts · shared · photos · cursors · no since
sha256 6aac5f6ace4d972e81f3099fdcae033aee0216a5e30dd461da8ae074239383ed

-- groups · shared · column · no since
sha256 5e692baf503fcd6f9ce2005131498f6dbd5dbf14b097df408423938cde79b87e

-- groups · shared · column · cursors · no since
sha256 dc0766a1fee3cd2957fe6885ac09d30c2b23a39f529d53932cbf67c5706bb9cd

-- groups · shared · photos · no since
sha256 bb6dc24fbeace7d85863f5bad6984dcfe944d0fb6da9a3293598a0943a24081f

-- groups · shared · photos · cursors · no since
sha256 bf9b652c0eb7cfee7b725526c8e0bb467903f3b5714a0b625dbbc27a9b446f99
