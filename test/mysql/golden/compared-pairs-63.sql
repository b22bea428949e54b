-- contacts · shared · column
-- contacts · shared · column · named bits, extra columns
-- contacts · shared · column · cursors
-- contacts · shared · column · cursors · named bits, extra columns
-- contacts · shared · column · no since
-- contacts · shared · column · cursors · no since
sha256 dc79ad224388567389e08d5808117e0ba57bbd16ddc8c7e17dfd03b61786220c

-- contacts · shared · photos
-- contacts · shared · photos · named bits, extra columns
-- contacts · shared · photos · cursors
-- contacts · shared · photos · cursors · named bits, extra columns
-- contacts · shared · photos · no since
-- contacts · shared · photos · cursors · no since
-- contacts · shared · photos of 2 audiences
-- contacts · shared · photos of 2 audiences · cursors
-- contacts · shared · photos of 4 audiences
-- contacts · shared · photos of 4 audiences · cursors
-- contacts · shared · photos of 63 audiences
-- contacts · shared · photos of 63 audiences · cursors
sha256 ee477dda2d92e8ecbd9d07520a63c671e03d9c4423aca406686a9333fd0ec7cc

-- contacts · separate · column
-- contacts · separate · column · named bits, extra columns
-- contacts · separate · column · cursors
-- contacts · separate · column · cursors · named bits, extra columns
sha256 08da4a0af9042c7b2d85b63d65b3d6aacacc38827874b12619f625a779aa12cc

-- contacts · separate · photos
-- contacts · separate · photos · named bits, extra columns
-- contacts · separate · photos · cursors
-- contacts · separate · photos · cursors · named bits, extra columns
-- contacts · separate · photos of 2 audiences
-- contacts · separate · photos of 2 audiences · cursors
-- contacts · separate · photos of 4 audiences
-- contacts · separate · photos of 4 audiences · cursors
-- contacts · separate · photos of 63 audiences
-- contacts · separate · photos of 63 audiences · cursors
sha256 0205e39b28ad78a8b187e6b758cd97dcd3d4adfe685d88efec05d0ec5c06a502

-- groups · shared · column
-- groups · shared · column · named bits, extra columns
-- groups · shared · column · cursors
-- groups · shared · column · cursors · named bits, extra columns
-- groups · separate · column
-- groups · separate · column · named bits, extra columns
-- groups · separate · column · cursors
-- groups · separate · column · cursors · named bits, extra columns
-- groups · shared · column · no since
-- groups · shared · column · cursors · no since
sha256 a7faab6ea9692e0fbabcdc29f84e1d864a314f565e2c1b419a75d9bd65a1fe1d

-- groups · shared · photos
-- groups · shared · photos · named bits, extra columns
-- groups · shared · photos · cursors
-- groups · shared · photos · cursors · named bits, extra columns
-- groups · separate · photos
-- groups · separate · photos · named bits, extra columns
-- groups · separate · photos · cursors
-- groups · separate · photos · cursors · named bits, extra columns
-- groups · shared · photos · no since
-- groups · shared · photos · cursors · no since
-- groups · shared · photos of 2 audiences
-- groups · shared · photos of 2 audiences · cursors
-- groups · separate · photos of 2 audiences
-- groups · separate · photos of 2 audiences · cursors
-- groups · shared · photos of 4 audiences
-- groups · shared · photos of 4 audiences · cursors
-- groups · separate · photos of 4 audiences
-- groups · separate · photos of 4 audiences · cursors
-- groups · shared · photos of 63 audiences
-- groups · shared · photos of 63 audiences · cursors
-- groups · separate · photos of 63 audiences
-- groups · separate · photos of 63 audiences · cursors
sha256 edb5486b7d17f3513e564746cea27e42ca648be08a5ad58f69b2e12212701183
