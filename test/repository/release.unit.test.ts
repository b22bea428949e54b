import { describe, expect, it } from 'vitest';
import { problemsOf, publishing, type ReleaseState } from '../../scripts/release.ts';

const RIGHT: ReleaseState = {
  versions: { 'package.json': '1.2.3', 'Chart.yaml': '1.2.3' },
  changelog: '# Changelog\n\n## [1.2.3] - 2027-01-02\n\n- One.\n\n## [1.2.2] - 2027-01-01\n\n- Another.\n',
  changedFiles: [],
};

describe('a release', () => {
  it('is of a committed tree whose files and CHANGELOG.md have one version', () => {
    expect(problemsOf(RIGHT)).toEqual([]);
    expect(
      problemsOf({ ...RIGHT, changelog: RIGHT.changelog.replace('## [1.2.3]', '## [Unreleased]\n\n## [1.2.3]') }),
    ).toEqual([]);
  });

  it.each<[string, Partial<ReleaseState>, string]>([
    [
      'another version somewhere',
      { versions: { ...RIGHT.versions, 'Chart.yaml': '1.2.2' } },
      'Chart.yaml has the version 1.2.2, and package.json 1.2.3',
    ],
    [
      'no heading',
      { changelog: RIGHT.changelog.replace('1.2.3', '1.2.4') },
      'CHANGELOG.md has no heading "## [1.2.3] - " with a date',
    ],
    [
      'changes of no version',
      { changelog: RIGHT.changelog.replace('## [1.2.3]', '## [Unreleased]\n\n- More.\n\n## [1.2.3]') },
      'CHANGELOG.md has changes under [Unreleased]: they belong to this version',
    ],
    ['a change', { changedFiles: ['src/new.ts'] }, 'src/new.ts is not committed'],
  ])('is refused for %s', (_, changed, problem) => {
    expect(problemsOf({ ...RIGHT, ...changed })).toEqual([problem]);
  });

  it('publishes the image for two platforms, then the packages, then the chart, each with what attests it', () => {
    const files = { packages: ['a.tgz', 'b.tgz'], chart: 'c.tgz' };
    const targets = { version: '1.2.3', image: 'registry.example/recency', chart: 'oci://registry.example/charts' };
    const commands = publishing(files, targets).map((words) => words.join(' '));
    expect(commands).toEqual([
      'docker buildx build --platform linux/amd64,linux/arm64 --provenance=mode=max --sbom=true ' +
        '--tag registry.example/recency:1.2.3 --push .',
      'npm publish a.tgz --access public --provenance',
      'npm publish b.tgz --access public --provenance',
      'helm push c.tgz oci://registry.example/charts',
    ]);
  });
});
