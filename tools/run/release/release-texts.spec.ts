import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkVersion, cutChangelog, provenanceOf, versionPlaces, withVersion } from './release-texts';

const root = join(__dirname, '../../..');
const digest = 'ab'.repeat(32);

describe('the version of a release', () => {
  const { version: present } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const places = versionPlaces.filter(({ file, isOptional }) => !isOptional || existsSync(join(root, file)));

  it.each(places.map(place => [place.file, place] as const))('%s has the present one, and takes the next', (file, place) => {
    const text = readFileSync(join(root, file), 'utf8');
    expect(withVersion(text, place, present)).toBe(text);
    const next = withVersion(text, place, '7.8.9');
    const form = place.form?.('7.8.9') ?? '7.8.9';
    expect(next.split(form)).toHaveLength((place.times ?? 1) + 1);
    expect(next.length - text.length).toBe((form.length - (place.form?.(present) ?? present).length) * (place.times ?? 1));
  });

  it('a place without one is an error that names the file, not a release with two versions', () => {
    expect(() =>
      withVersion(
        'FROM scratch\n',
        places.find(({ file }) => file === 'docker/Dockerfile')!,
        '1.0.0',
      ),
    ).toThrow('docker/Dockerfile: the version was not found');
  });

  it.each([
    ['1.2.3', '1.2.3', 'does not come after'],
    ['1.2.3', '1.1.9', 'does not come after'],
    ['1.10.0', '1.9.0', 'does not come after'],
    ['1.2.3', 'v1.2.4', 'is no version'],
    ['1.2.3', '1.2.4-rc.1', 'is no version'],
  ])('after %s, %s is refused', (current, next, message) => {
    expect(() => checkVersion(current, next)).toThrow(message);
  });
});

describe('the changelog of a release', () => {
  const when = { version: '0.2.0', date: '2026-11-23' };
  const text = '# Changelog\n\n## Unreleased\n\n### Added\n- one\n- two\n\n## 0.1.0 - 2026-01-01\n\n- zero\n';

  it('moves what is unreleased under the version, above the older ones', () => {
    const { text: cut, notes } = cutChangelog(text, when);
    expect(notes).toBe('### Added\n- one\n- two');
    expect(cut).toBe(
      '# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-11-23\n\n### Added\n- one\n- two\n\n## 0.1.0 - 2026-01-01\n\n- zero\n',
    );
    expect(() => cutChangelog(cut, { ...when, version: '0.3.0' })).toThrow('nothing stands under Unreleased');
    expect(() => cutChangelog(cut, when)).toThrow('has 0.2.0 already');
  });
});

describe('the provenance of a release', () => {
  const options = {
    subjects: [
      { name: 'paycode/b', sha256: digest },
      { name: 'paycode/a', sha256: digest },
    ],
    version: '1.0.0',
    source: { repository: 'https://git.example.com/paycode', commit: 'c'.repeat(40), isDirty: false },
    materials: [{ uri: 'file:package-lock.json', sha256: digest }],
    epochS: 1_700_000_000,
    builder: 'https://paycode.invalid/builder/local',
  };

  it('is an in-toto statement with SLSA 1.0 provenance: what, from which commit, with which inputs, by whom', () => {
    const statement = provenanceOf(options);
    expect(statement).toMatchObject({
      _type: 'https://in-toto.io/Statement/v1',
      predicateType: 'https://slsa.dev/provenance/v1',
      subject: [
        { name: 'paycode/a', digest: { sha256: digest } },
        { name: 'paycode/b', digest: { sha256: digest } },
      ],
      predicate: { runDetails: { builder: { id: options.builder } } },
    });
    expect(statement.predicate.buildDefinition.resolvedDependencies).toEqual([
      { uri: `git+${options.source.repository}@${options.source.commit}`, digest: { gitCommit: options.source.commit } },
      { uri: 'file:package-lock.json', digest: { sha256: digest } },
    ]);
  });
});
