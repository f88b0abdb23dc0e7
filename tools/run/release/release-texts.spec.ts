import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  checkVersion,
  cutChangelog,
  type ReleaseState,
  tagBefore,
  upgradeNotes,
  versionPlaces,
  withVersion,
} from './release-texts';

const root = join(__dirname, '../../..');

describe('the version of a release', () => {
  const { version: present } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

  it.each(versionPlaces.map(place => [place.file, place] as const))(
    '%s has the present one, and takes the next',
    (file, place) => {
      const text = readFileSync(join(root, file), 'utf8');
      expect(withVersion(text, place, present)).toBe(text);
      const next = withVersion(text, place, '7.8.9');
      const form = place.form?.('7.8.9') ?? '7.8.9';
      expect(next.split(form)).toHaveLength((place.times ?? 1) + 1);
      expect(next.length - text.length).toBe((form.length - (place.form?.(present) ?? present).length) * (place.times ?? 1));
    },
  );

  it.each([
    ['1.2.3', '1.2.3', 'does not come after'],
    ['1.10.0', '1.9.0', 'does not come after'],
    ['1.2.3', 'v1.2.4', 'is no version'],
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

describe('upgrade notes', () => {
  const before: ReleaseState = {
    settings: { a: { OLD: { required: false }, KEPT: { required: false, default: 1 }, SOON: { required: false } }, gone: {} },
    migrations: ['apps/a/migrations/1.ts'],
    topics: { t: 64, u: 1, w: 1 },
  };
  const state: ReleaseState = {
    settings: {
      a: { NEW: { required: true }, KEPT: { required: false, default: 2 }, SOON: { required: true } },
      b: { KEY: { required: true } },
    },
    migrations: ['apps/a/migrations/1.ts', 'apps/a/migrations/2.ts'],
    topics: { t: 128, v: 16, w: 1 },
  };
  const options = { version: '2.0.0', previous: { version: '1.0.0', state: before }, state, notes: '' };

  it('say what an operator must set, run and create before the roll-out', () => {
    const text = upgradeNotes(options);
    for (const line of [
      'From 1.0.0.',
      '- `a`: `NEW` is new, and **required**',
      '- `a`: `OLD` is gone',
      '- `a`: `SOON` is now **required**',
      '- `a`: the default of `KEPT` was 1 and is 2',
      '- `b` is new: it needs `KEY`',
      '- `gone` is gone',
      '- `apps/a/migrations/2.ts`',
      '- `t` has 128 partitions in place of 64: a new topic is needed',
      '- `v` is new, with 16 partitions: create it first',
      '- `u` is no longer written',
    ])
      expect(text).toContain(line);
    expect(text).not.toContain('migrations/1.ts');
    expect(text).not.toContain('`w`');
  });

  it('repeat what the changelog says about services that cannot call each other', () => {
    const notes = '- small thing\n- tokens (services of before and after this change cannot call each other)\n';
    expect(upgradeNotes({ ...options, notes })).toContain('## Read first\n\n- tokens (services of');
    expect(upgradeNotes({ ...options, notes })).not.toContain('small thing');
  });

  it('regression: a page about something gone is no warning, a setting that is gone is one', () => {
    const notes = '- `ServiceGone` pages when a service is gone altogether\n- `OLD` and `OLDER` are gone: ADR 1\n';
    expect(upgradeNotes({ ...options, notes })).toContain('## Read first\n\n- `OLD` and `OLDER` are gone: ADR 1\n\n');
  });
});

it('regression: a release whose tag is set already is compared with the one before, not with itself', () => {
  expect(tagBefore(['v0.2.0', 'v0.1.0'], '0.2.0')).toBe('v0.1.0');
  expect(tagBefore(['v0.1.0'], '0.2.0')).toBe('v0.1.0');
  expect(tagBefore(['v0.1.0'], '0.1.0')).toBeUndefined();
  expect(tagBefore([''], '0.1.0')).toBeUndefined();
});
