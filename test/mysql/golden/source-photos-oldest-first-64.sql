-- contacts · shared · column
sha256 9e1d9c103216d6cf95a14e4ad24b2e4b767e06e6753506adbc9ccdb4d6fe8337

-- contacts · shared · column · named bits, extra columns
sha256 2a568a7ca1c3457715c5d6e13ada966275d58c08566da071718427c42b012f50

-- contacts · shared · column · cursors
sha256 b0bb46afb1b9464dab602da2fef97bb19747b3aaab5348ca679d02f9f13d567d

-- contacts · shared · column · cursors · named bits, extra columns
sha256 403c92f5eca77b7fe507827c6cf9af3b85a429514aa7ff556a3c9c046568a959

-- contacts · shared · photos
-- contacts · shared · photos of 2 audiences
-- contacts · shared · photos of 4 audiences
-- contacts · shared · photos of 63 audiences
sha256 2fb85d4c8ed25344e6e2d0c064e2795c3670613f34abefbd095a120150e487fe

-- contacts · shared · photos · named bits, extra columns
sha256 f0ceb8e76e4bd924f978fe111ecbc4de7e03e02b248a4f3e3cbda8a6a98cc484

-- contacts · shared · photos · cursors
-- contacts · shared · photos of 2 audiences · cursors
-- contacts · shared · photos of 4 audiences · cursors
-- contacts · shared · photos of 63 audiences · cursors
sha256 5c5cc38c5d2a49ffdafcf154435b06972bd1a071aba1b15b6b8568f30599bb9e

-- contacts · shared · photos · cursors · named bits, extra columns
sha256 89ae8774204fedaed80d15b11c27e8acc5b37e65334274101335c372b8e93ecc

-- contacts · separate · column
sha256 a49c20665f1c03ad906302f16328b2948054878b38753524f6815e5952e629de

-- contacts · separate · column · named bits, extra columns
sha256 ab18d05cd18c31c3b1f5d955291baf8820e778c9d1edf572aef26fecc1f650f0

-- contacts · separate · column · cursors
sha256 35977866e2ca10f61eba6225e241c65a8cc2cbc45b03e2cba0560de1af065a91

-- contacts · separate · column · cursors · named bits, extra columns
sha256 7803fcc49ade2678c163d1a6be9f96658974af5e4fd0c426b1460cd866f814fa

-- contacts · separate · photos
-- contacts · separate · photos of 2 audiences
-- contacts · separate · photos of 4 audiences
-- contacts · separate · photos of 63 audiences
sha256 a5964cd3c2ac25179c6a704ed3b5bf4c0193ec370ef3772ac6207dbeec211365

-- contacts · separate · photos · named bits, extra columns
sha256 890543844945fc25a39740949386cc1aedf3fdd3486bb43d32e132b4d9e6a050

-- contacts · separate · photos · cursors
-- contacts · separate · photos of 2 audiences · cursors
-- contacts · separate · photos of 4 audiences · cursors
-- contacts · separate · photos of 63 audiences · cursors
sha256 495a44031ba1d84774c2039fee861453c155dea3e62494807b3e777f07be20a0

-- contacts · separate · photos · cursors · named bits, extra columns
sha256 15a43b127ce804a54eac5f4ed9ff0d0858fbe21262d2500b1f2e4805e356e468

-- groups · shared · column
-- groups · separate · column
sha256 1e521e26384c70797c066656dfa66df2cb1d6843e2a759cd3b194188e244db33

-- groups · shared · column · named bits, extra columns
-- groups · separate · column · named bits, extra columns
sha256 4ff92e2e21a87f6c78ce92b2d545f96019fa8d4fe9e9df5d78150c447b857eba

-- groups · shared · column · cursors
-- groups · separate · column · cursors
sha256 2f0f1a0ad70ba6debfa369053837d3106ccf0c0f406144a28c0e5ef8f0e27d21

-- groups · shared · column · cursors · named bits, extra columns
-- groups · separate · column · cursors · named bits, extra columns
sha256 16e568f83601d273f3161e7054d7a604888355547be9d3add206d347ae9d523e

-- groups · shared · photos
-- groups · separate · photos
-- groups · shared · photos of 2 audiences
-- groups · separate · photos of 2 audiences
-- groups · shared · photos of 4 audiences
-- groups · separate · photos of 4 audiences
-- groups · shared · photos of 63 audiences
-- groups · separate · photos of 63 audiences
sha256 1f0b1ccb7055485d9ee4660580e5aaef75af89ad7952631e56f4e1077871ed1b

-- groups · shared · photos · named bits, extra columns
-- groups · separate · photos · named bits, extra columns
sha256 704e01637286988a8531a243f7044ab810164e9ee2815371d3604764059e7086

-- groups · shared · photos · cursors
-- groups · separate · photos · cursors
-- groups · shared · photos of 2 audiences · cursors
-- groups · separate · photos of 2 audiences · cursors
-- groups · shared · photos of 4 audiences · cursors
-- groups · separate · photos of 4 audiences · cursors
-- groups · shared · photos of 63 audiences · cursors
-- groups · separate · photos of 63 audiences · cursors
sha256 873ff4d632393002997d9586f9b9dab227aadefd0edbccc51100415699ae850e

-- groups · shared · photos · cursors · named bits, extra columns
-- groups · separate · photos · cursors · named bits, extra columns
sha256 a40f1a25bdd0180d3d52737e07fe167a0805711886ffe35814be491e3b3281c3

-- contacts · shared · column · no since
sha256 bc9e955129d1d124a01e79e043ff257b2d8283451574c5d512c6fbc95bd3f706

-- contacts · shared · column · cursors · no since
sha256 c75e9f26a9f10448a04f873fec0026baecefbb3d4e5fe1d874d848dcf80839c9

-- contacts · shared · photos · no since
sha256 b19d5ddf0fbf1e39ddcac0e3bdc0b2cc99b6853cd0722d5c5dde5b6063679ee5

-- contacts · shared · photos · cursors · no since
sha256 477e6c2ffc69f683cdaa7ee2cb0af0b9c9fc6c085cdc2cadc05f9ee019e4c096

-- groups · shared · column · no since
sha256 55c2b628be3f46387a70bcde5aa97facd0719b4a9f15d6d6778ba2c439f632af

-- groups · shared · column · cursors · no since
sha256 5cafe771c4d7093811c8d644ea1213460eeca3f5f40b9f061f4e8ad78c5a5813

-- groups · shared · photos · no since
sha256 748c0b254a99c8713cd9f74e3d7ce87733b0e2e630a2ae2d5a3fb90dc1761489

-- groups · shared · photos · cursors · no since
sha256 6b61881fa942a6657e7053b2a90c6572fbe80b5d119e24e6b5629e2211236e12
