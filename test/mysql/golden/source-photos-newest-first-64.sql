-- contacts · shared · column
sha256 6705d17423d3d4f854b32370bfeede7fcfd2a8999dd9d9db595de4dd1402fe99

-- contacts · shared · column · named bits, extra columns
sha256 136806ffd97708c111d90cb6b84e529343d62b795fc1c4e02d5ae0ed4c5703ce

-- contacts · shared · column · cursors
sha256 80f50732e5ffbbe8c378f81d217343cacb666b5b2a4afb1d8b4c49146c04684b

-- contacts · shared · column · cursors · named bits, extra columns
sha256 2457211b9a2599f5697a9c8ac8623d7f6f458017685a2c7a0343b742d86753c8

-- contacts · shared · photos
-- contacts · shared · photos of 2 audiences
-- contacts · shared · photos of 4 audiences
-- contacts · shared · photos of 63 audiences
sha256 87357515fda27577c49acff30afc967d438623bff2c3bbb9ca99072c8a8f3120

-- contacts · shared · photos · named bits, extra columns
sha256 857e418b1e2a163ea9797a2841f78473f03e4958f6f57f9f89be85d962524efd

-- contacts · shared · photos · cursors
-- contacts · shared · photos of 2 audiences · cursors
-- contacts · shared · photos of 4 audiences · cursors
-- contacts · shared · photos of 63 audiences · cursors
sha256 d9cfc40d073d62acf976a17c15c3e128724eee97f310527c4d8cd125c895a2cd

-- contacts · shared · photos · cursors · named bits, extra columns
sha256 121137452ea4520d83d13d2a27db1dac821c3fbf87fac33cba1e0cd509d37b77

-- contacts · separate · column
sha256 95e7ee41bd63092e7a8dcacfeeb54b08b45eac58fd34ffaa992369a577c05ace

-- contacts · separate · column · named bits, extra columns
sha256 595804dab28b4bf025a86b7e2a69216e1560d31fe61f0ffed2e01762f078fb68

-- contacts · separate · column · cursors
sha256 c6f51e8e6af10f630270e94a061e59dc3fd70dbce38abca5e5b2101388b930b3

-- contacts · separate · column · cursors · named bits, extra columns
sha256 3dcfa1ee5419e332863ee13cd9b9a98246c53be29cc412ed0a8e8b554e156c9f

-- contacts · separate · photos
-- contacts · separate · photos of 2 audiences
-- contacts · separate · photos of 4 audiences
-- contacts · separate · photos of 63 audiences
sha256 3b5c41a81a0ccf61c93f7982984131d523ca27e1ff26909c507a48f2402891e6

-- contacts · separate · photos · named bits, extra columns
sha256 2e41d34f9da36aaf149e98bf7c9b906dccc6ee024b71c8065a24f56938a82576

-- contacts · separate · photos · cursors
-- contacts · separate · photos of 2 audiences · cursors
-- contacts · separate · photos of 4 audiences · cursors
-- contacts · separate · photos of 63 audiences · cursors
sha256 1be2e00fe01924544262002279476eee4071f35443d2465f9e2da51233b59c41

-- contacts · separate · photos · cursors · named bits, extra columns
sha256 79cde5b978362c739f2a8a87f00a93ec6b1b3eb6862f3f1c2664338fdc325c37

-- groups · shared · column
-- groups · separate · column
sha256 094e1599aed725d3805a6c292b050998785caa4e94f3626666669569db330d7e

-- groups · shared · column · named bits, extra columns
-- groups · separate · column · named bits, extra columns
sha256 8c58bce7d81e41e7149581f07e0575d38fb96af50c96fab85240942a58f7b877

-- groups · shared · column · cursors
-- groups · separate · column · cursors
sha256 9d5334d38b6d2ae5ca7e34e101c4227dbdd10770549e951e143b7d31052185b2

-- groups · shared · column · cursors · named bits, extra columns
-- groups · separate · column · cursors · named bits, extra columns
sha256 e56b21f2c997006e7f74f7265b8699758a5d73889531fb1d700e111b5d4e2ade

-- groups · shared · photos
-- groups · separate · photos
-- groups · shared · photos of 2 audiences
-- groups · separate · photos of 2 audiences
-- groups · shared · photos of 4 audiences
-- groups · separate · photos of 4 audiences
-- groups · shared · photos of 63 audiences
-- groups · separate · photos of 63 audiences
sha256 eb2f08f877517869564e34e4dfe2b6af7db80c9f2c669ee8d71def454aaae071

-- groups · shared · photos · named bits, extra columns
-- groups · separate · photos · named bits, extra columns
sha256 f54f4f92bcaf6af8af56ede009c170d739a0c9ae8eae2ea65f86ed504ea1bf79

-- groups · shared · photos · cursors
-- groups · separate · photos · cursors
-- groups · shared · photos of 2 audiences · cursors
-- groups · separate · photos of 2 audiences · cursors
-- groups · shared · photos of 4 audiences · cursors
-- groups · separate · photos of 4 audiences · cursors
-- groups · shared · photos of 63 audiences · cursors
-- groups · separate · photos of 63 audiences · cursors
sha256 130c22240082fd0ce16bc8b5f5de733cdaf8399dda040ce97f26cf1b128a826b

-- groups · shared · photos · cursors · named bits, extra columns
-- groups · separate · photos · cursors · named bits, extra columns
sha256 0a310ce0ef3b4038e10300f08fd8b371942ad552490da1bc5798f2520c85a87b

-- contacts · shared · column · no since
sha256 fdc2644ecaac15e3385af1be6695d5be338cbc99cb2364cfca7344d25250a6bd

-- contacts · shared · column · cursors · no since
sha256 c6ac47480956f89402261f7d04280a40b13af793e79d609331ba1f47e8de4470

-- contacts · shared · photos · no since
sha256 322b5fe43a6b22ed4bb2c27e7360f5162e6bd1f3bbc92815ecf342796df1e078

-- contacts · shared · photos · cursors · no since
sha256 618d72ae7adf40386675e7a2d03865bf9f6fb24bda37dc4c7f0e70f504a69b14

-- groups · shared · column · no since
sha256 6ed7fd4a996998ec78f25b6934e01419284b3393ed9c9a9040a181df67ba26c8

-- groups · shared · column · cursors · no since
sha256 44e3d104182a724a7d4cf5db79f4df0bfb7805f409b18e8ee1cd75d8d562f876

-- groups · shared · photos · no since
sha256 13da7e5a50f7c5730763798ecd75ab38550a3558a9f8eacc051a0c7f57b9f1a5

-- groups · shared · photos · cursors · no since
sha256 6828c54b06d7ff1d16cc9046d2aac5cf1a2d793f7a28ce5c46ef983e9dd04fdc
