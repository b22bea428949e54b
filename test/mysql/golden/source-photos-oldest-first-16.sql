-- contacts · shared · column
sha256 f587b1ba3d85fb15bddea58393923767d955c84f83be9a94a7929ed3a20767c5

-- contacts · shared · column · named bits, extra columns
sha256 50cbd3c08cbf5b795c467e7b02bbe7dddb21256bbb4bdf9a44eb98b39dc95613

-- contacts · shared · column · cursors
sha256 6af525eb75813230aa8a683a92819e83bb8ab259eecd61ee7a3c1123c01cc574

-- contacts · shared · column · cursors · named bits, extra columns
sha256 2863c1a042dd40086dd8fb629ebb822603bafeed32d99dbee338a7395f5a1943

-- contacts · shared · photos
-- contacts · shared · photos of 2 audiences
-- contacts · shared · photos of 4 audiences
-- contacts · shared · photos of 63 audiences
sha256 02b95b69cee59becd438a4c6a0cb3f89b5ef7cb4d59999858493cfd85c826389

-- contacts · shared · photos · named bits, extra columns
sha256 22116ebf6b8140d48b5d0ddb5c80581c0365241fab4693e530846ba09d842ef2

-- contacts · shared · photos · cursors
-- contacts · shared · photos of 2 audiences · cursors
-- contacts · shared · photos of 4 audiences · cursors
-- contacts · shared · photos of 63 audiences · cursors
sha256 14dc19d2914a6dceccc1eb28025d4049e72e2d798e3a7d3a2b580330b20c9072

-- contacts · shared · photos · cursors · named bits, extra columns
sha256 36e83742deeaf240c26d6844bf51b0b51b76a2dc94d9bb7b9b06533df0771fc0

-- contacts · separate · column
sha256 cf5e8cd23d047eded7c04f3a14fa4fdc6b202c16308b77e95228055d7ad590b1

-- contacts · separate · column · named bits, extra columns
sha256 1b65aec0a6997bbe6dbbf947ad816370dd4d48694ad0e8a92ec4ab02f3d4819c

-- contacts · separate · column · cursors
sha256 5108c25674b23b2e60fc1a1324711e900d7daeaadb7a7779df530ec46dde977c

-- contacts · separate · column · cursors · named bits, extra columns
sha256 54502e56080efc828d1b29af139fc6a00da8b6d7275439f96052d0771ba52835

-- contacts · separate · photos
-- contacts · separate · photos of 2 audiences
-- contacts · separate · photos of 4 audiences
-- contacts · separate · photos of 63 audiences
sha256 ecc0445ae4763dc5a24dbb212c4710d92a787d406094d60d53480af301dcad6f

-- contacts · separate · photos · named bits, extra columns
sha256 86b192ab83a80bd9df4740f6612f560faf9ff43e5e5fa49748fda21306a0ebf8

-- contacts · separate · photos · cursors
-- contacts · separate · photos of 2 audiences · cursors
-- contacts · separate · photos of 4 audiences · cursors
-- contacts · separate · photos of 63 audiences · cursors
sha256 4131e47d61f0f6fad11a41da3af31bcd8f3dacab8c0cbecdc05e5d6213911981

-- contacts · separate · photos · cursors · named bits, extra columns
sha256 db67a49f52368f5044afa74f721f2e560429ff90401178d2b587a48a2726766e

-- groups · shared · column
-- groups · separate · column
sha256 bd46ab1ced11266afdec600a6680d64988f85a5f2245a8c90244f2b3335e6bc3

-- groups · shared · column · named bits, extra columns
-- groups · separate · column · named bits, extra columns
sha256 913e5ab718e1d9c914033825efe3d0b3eacf757887fe9603059d1b8e515c5ef3

-- groups · shared · column · cursors
-- groups · separate · column · cursors
sha256 29815ed6142a2b3a9f7a4552c38e324e6ab10f4ac1028f3c7477e26f48d5f5b0

-- groups · shared · column · cursors · named bits, extra columns
-- groups · separate · column · cursors · named bits, extra columns
sha256 dbc25f3cc74fd3f75390eb1f000f7ab9c4d2f46d63d133458fbe63d518e032b8

-- groups · shared · photos
-- groups · separate · photos
-- groups · shared · photos of 2 audiences
-- groups · separate · photos of 2 audiences
-- groups · shared · photos of 4 audiences
-- groups · separate · photos of 4 audiences
-- groups · shared · photos of 63 audiences
-- groups · separate · photos of 63 audiences
sha256 a1bd162a70d0b82bac1b98701e7b41f285e5059917d326fbf55ff02d2a640069

-- groups · shared · photos · named bits, extra columns
-- groups · separate · photos · named bits, extra columns
sha256 70cd4613ebad5b1f545261f9590bcbff9cb18dc48306310ca67e4fc1ef596a42

-- groups · shared · photos · cursors
-- groups · separate · photos · cursors
-- groups · shared · photos of 2 audiences · cursors
-- groups · separate · photos of 2 audiences · cursors
-- groups · shared · photos of 4 audiences · cursors
-- groups · separate · photos of 4 audiences · cursors
-- groups · shared · photos of 63 audiences · cursors
-- groups · separate · photos of 63 audiences · cursors
sha256 30bcd43963aace45f84cdb5d6b7159dd9311a31cbd48f2fda1cfd043b8c559e9

-- groups · shared · photos · cursors · named bits, extra columns
-- groups · separate · photos · cursors · named bits, extra columns
sha256 c710e387f09c8904c447d6318bbf4bdac09e3addd1848bb77584146821ec383b

-- contacts · shared · column · no since
sha256 5a030df9a7a86ba0cbb225b9a36756e46ec25be6f7e47dee93ef2f6e492d8340

-- contacts · shared · column · cursors · no since
sha256 f501d1db7f8be8ab812baae15b61b173b14e6888dd68caffd97ae2e66b70a725

-- contacts · shared · photos · no since
sha256 168147605f947927b726a5b646c62297d018bfc673db27e094f0f6363e89db58

-- contacts · shared · photos · cursors · no since
sha256 122344a17c91679a76e5cdb3a280e803faf5b63739cf7674000845c43cab3bc1

-- groups · shared · column · no since
sha256 df1f443bd37f654e8305f0a8ca6540d8bfd940ffb8bb427fef1db137841bdf20

-- groups · shared · column · cursors · no since
sha256 f139c326d4351ca864ee377fe0543a662a45b2033fff33c2c43c01340ddd256b

-- groups · shared · photos · no since
sha256 14995bc6a0640e2b16e9193b95dd561952be34f191e42aea86839e40f51e3ab6

-- groups · shared · photos · cursors · no since
sha256 c96d63d13e587009aee54def52dd2e0a287b6315dcd20c5304277939e1bb2a27
