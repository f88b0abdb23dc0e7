import { builtElsewhere, differencesOf } from './twice';

const of = (...parts: [string, string][]) => parts.map(([name, sha256]) => ({ name, sha256 }));

describe('a release that is built twice', () => {
  it('is the same when every part has its digest again, in any order', () => {
    expect(
      differencesOf(of(['paycode/ops', 'aa'], ['UPGRADE.md', 'bb']), of(['UPGRADE.md', 'bb'], ['paycode/ops', 'aa'])),
    ).toEqual([]);
  });

  it('names what differs, and what one build has alone', () => {
    const [first, second] = [of(['paycode/ops', 'aa'], ['kits/a.tgz', 'bb']), of(['paycode/ops', 'cc'], ['kits/b.tgz', 'bb'])];
    expect(differencesOf(first, second)).toEqual([
      'paycode/ops: aa, then cc',
      'kits/a.tgz: bb, then none',
      'kits/b.tgz: none, then bb',
    ]);
  });

  it('has another zone, language and umask the second time, and this process has its own again, after an error too', () => {
    const here = () => ({
      zone: process.env['TZ'],
      language: process.env['LC_ALL'],
      umask: process.umask(),
      PATH: process.env['PATH'],
    });
    const before = here();
    const there = builtElsewhere(here);
    expect(there).toEqual({ zone: 'Pacific/Kiritimati', language: 'sv_SE.UTF-8', umask: 0o077, PATH: before.PATH });
    expect(here()).toEqual(before);
    const failing = () => {
      throw new Error('no builder');
    };
    expect(() => builtElsewhere(failing)).toThrow('no builder');
    expect(here()).toEqual(before);
  });
});
