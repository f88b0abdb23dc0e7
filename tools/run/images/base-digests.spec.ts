import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { baseImages, isPinned, withDigests } from '../images-pin.ts';

const dockerfile = readFileSync(join(__dirname, '../../../docker/Dockerfile'), 'utf8');
const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;

describe('base images by digest (T-42)', () => {
  it('are each named in one place, where the digest is written beside the tag', () => {
    const [tag] = baseImages(dockerfile).map(reference => reference.replace(/@.*$/, ''));
    const pinned = withDigests(dockerfile, () => digest);
    expect(baseImages(pinned)).toEqual([`${tag}@${digest}`]);
    expect(baseImages(pinned).every(isPinned)).toBe(true);
    expect(withDigests(pinned, () => digest)).toBe(pinned);
    expect(pinned.match(/^FROM .*$/gm)!.filter(line => !/^FROM (\$\{(BASE|BUILD_BASE)\}|workspace) AS /.test(line))).toEqual([]);
  });

  it.each(['', 'sha256:abc', 'latest', `sha512:${'0'.repeat(64)}`])('%j is no digest, and is not written', text => {
    expect(() => withDigests(dockerfile, () => text)).toThrow('is no digest');
  });

  it.each([
    { what: 'a release on a tag', release: 'true', base: 'node:24-bookworm-slim', code: 1 },
    { what: 'a release on a digest', release: 'true', base: `node:24-bookworm-slim@${digest}`, code: 0 },
    { what: 'a build on a tag', release: 'false', base: 'node:24-bookworm-slim', code: 0 },
    { what: 'neither', release: 'yes', base: `node:24-bookworm-slim@${digest}`, code: 1 },
  ])('$what: the image build goes on, or says what to do', ({ release, base, code }) => {
    const [, command] = /^RUN (for base in .*)$/m.exec(dockerfile)!;
    const env = { PATH: process.env['PATH'], RELEASE: release, BASE: base, BUILD_BASE: base };
    const { status, stderr } = spawnSync('sh', ['-c', command!], { env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([code, code === 0 ? '' : `${base} has no digest: npm run release -- pin-images\n`]);
  });
});
