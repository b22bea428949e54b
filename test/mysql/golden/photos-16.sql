-- contacts · shared · column
sha256 bd098035114a7a030809fb61e295f29c9257867f62392045d7e3dc36edc79a5f

-- contacts · shared · column · named bits, extra columns
sha256 dd7daf14c4b8b20b96ec18da058c3fccfd3060fe68acc3f21e19e208a42400c5

-- contacts · shared · column · cursors
sha256 f08292696c1931ea6d6943e33fe33a0dc3c9b051634be98a4dd7383e41447c9a

-- contacts · shared · column · cursors · named bits, extra columns
sha256 db57e0df2cc41842bd62d22e374725567c661364ec9db0da5cc6af4295c69f11

-- contacts · shared · photos
-- contacts · shared · photos of 2 audiences
-- contacts · shared · photos of 4 audiences
-- contacts · shared · photos of 63 audiences
sha256 d1268138d6fceb6c77714b3363428c5ab4c0f1f1fa5c293e897fbce1cfc9ada9

-- contacts · shared · photos · named bits, extra columns
sha256 14fd2758215f04b6880329c1a5726e9a098a97b7588f1b01f3c0c80e27dbe424

-- contacts · shared · photos · cursors
-- contacts · shared · photos of 2 audiences · cursors
-- contacts · shared · photos of 4 audiences · cursors
-- contacts · shared · photos of 63 audiences · cursors
sha256 0451cdc74d4583b9c0e1f3a82f19543249ce8851ccd02e5f6023147c7c958843

-- contacts · shared · photos · cursors · named bits, extra columns
sha256 301b9267e106e7176f0556136660da076c46548e41cd6759424c704a00583a1b

-- contacts · separate · column
sha256 64621f03b8809294d810b08c09395a18cd79fbd15dc1714a77fab3806d0dab15

-- contacts · separate · column · named bits, extra columns
sha256 c7a86af5b56b8700b1550247cddd5fc4617138d1ebc39d59d6623f66888f7ff8

-- contacts · separate · column · cursors
sha256 15de3d4204fe615b79412d0f071a27e119436c6dbb2a75fa16794258dbe2f77f

-- contacts · separate · column · cursors · named bits, extra columns
sha256 ed975b1fc666f4a2729bb0df0c94cf75870f9d4f67b75ec124b7653e92a69986

-- contacts · separate · photos
-- contacts · separate · photos of 2 audiences
-- contacts · separate · photos of 4 audiences
-- contacts · separate · photos of 63 audiences
sha256 40069fca9393e7a9a3d88639d8cc806d48fe780066f802c2679c495ead3ef4f9

-- contacts · separate · photos · named bits, extra columns
sha256 139beafd18ac1b5b8a5e64b35cba6f729a2c3df1195fe07e21c2f3f898ecf98a

-- contacts · separate · photos · cursors
-- contacts · separate · photos of 2 audiences · cursors
-- contacts · separate · photos of 4 audiences · cursors
-- contacts · separate · photos of 63 audiences · cursors
sha256 75c96e138bf4990ce18cb89a64f9e7854a55de94aaa201d771dd4466eabf1494

-- contacts · separate · photos · cursors · named bits, extra columns
sha256 1b7b4a00aa8fb31960d7fb9205390df6df85e4af27d15d18cddef577e6f8a844

-- groups · shared · column
-- groups · separate · column
sha256 45cc6ba85082a49e0a193b5a69c6ce502bb957467f964a0a0ad9afc58b2b2a7b

-- groups · shared · column · named bits, extra columns
-- groups · separate · column · named bits, extra columns
sha256 e8341e03a5ef0a76e0af3c9d59b539973fc37a6728405346d7c0dfb0c28fd6c2

-- groups · shared · column · cursors
-- groups · separate · column · cursors
sha256 6545f4d2cc7ecdecd861dfbc5b2c72f5c2a9278e25710ddd6994f82156b067f7

-- groups · shared · column · cursors · named bits, extra columns
-- groups · separate · column · cursors · named bits, extra columns
sha256 ca07696ab76d376dc6cb19794e76746e34c72c88bd152b13a9df011504aae81f

-- groups · shared · photos
-- groups · separate · photos
-- groups · shared · photos of 2 audiences
-- groups · separate · photos of 2 audiences
-- groups · shared · photos of 4 audiences
-- groups · separate · photos of 4 audiences
-- groups · shared · photos of 63 audiences
-- groups · separate · photos of 63 audiences
sha256 fa541eac1a610194781cfe33e218b008b31b30c1ddff4000c3f4a1e7b89fda56

-- groups · shared · photos · named bits, extra columns
-- groups · separate · photos · named bits, extra columns
sha256 062307fb4813410d2c347cb192ce3c0d442e781560bb6a2f79e0f0695fcef40f

-- groups · shared · photos · cursors
-- groups · separate · photos · cursors
-- groups · shared · photos of 2 audiences · cursors
-- groups · separate · photos of 2 audiences · cursors
-- groups · shared · photos of 4 audiences · cursors
-- groups · separate · photos of 4 audiences · cursors
-- groups · shared · photos of 63 audiences · cursors
-- groups · separate · photos of 63 audiences · cursors
sha256 4e738b31a7040d80cfbcc7674837c8456cbe228712f9cb531e43ee3f154e9fad

-- groups · shared · photos · cursors · named bits, extra columns
-- groups · separate · photos · cursors · named bits, extra columns
sha256 6425e6d204ee4396a49c01d1f944d82af74dd5bda7bedd7741a4035cab1161f7

-- contacts · shared · column · no since
sha256 6fb63c719014ec39c2165d3c89be06698f822e771a623c9415bc762ec5530b7a

-- contacts · shared · column · cursors · no since
sha256 352545d48c864741c10c20bfdb170c685d4047214a31e28b6b61c0aaf8c4ceea

-- contacts · shared · photos · no since
sha256 95d6bb9ee2a3a57f143d853a6a951b207b55add0b0701b5112f554cd15c07118

-- contacts · shared · photos · cursors · no since
sha256 f347235877a07b592990f0f013b8678a231fb0b538bc45b0658412a42acb3f0f

-- groups · shared · column · no since
sha256 ae571d1e06b1bd8c998e96ab889d9cb31dffaef7b0318de154d505f32fc12cb2

-- groups · shared · column · cursors · no since
sha256 75ca94da57323fc5a44c2358d4c827b78256b2c977dfbf42bba4eb7f68d88baf

-- groups · shared · photos · no since
sha256 800f64b7f867632cdf53d4399e9a4a08f5f46f6d787eba835f0704b55aaeb499

-- groups · shared · photos · cursors · no since
sha256 aff801d086579a2e2bd6f0938dd9e2cc467000f8c13282e3cd9be249e2b5b360
