-- contacts · shared · column
-- contacts · shared · column · named bits, extra columns
-- contacts · shared · column · cursors
-- contacts · shared · column · cursors · named bits, extra columns
-- contacts · shared · column · no since
-- contacts · shared · column · cursors · no since
sha256 0d124dcc0cc289b75a35bf7f24adf647fb3630cc6f3fad63e1c7bcd16a0ebe87

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
sha256 2c22c290752ae08980a7f912fda3922bdc203088bd9a5eaeaa74957bc22123ef

-- contacts · separate · column
-- contacts · separate · column · named bits, extra columns
-- contacts · separate · column · cursors
-- contacts · separate · column · cursors · named bits, extra columns
sha256 bad8e152bb3cf8edfe7d05cc6a2c43b68695f105be4b0acac736cca440b09c3c

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
sha256 2c65f1038ae048c57c6bbac914d594e2e3202bc7047482d56db44a1839a411be

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
sha256 48c27c10e0579e73a8b0364dc0035b0bf2dfddcb1f50ad9e3195c4c61c939770

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
sha256 cd2f1476077c7ef03c92f1cb910f93feae063d02ae579d7b4f7b2072a838932a
