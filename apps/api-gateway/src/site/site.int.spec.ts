import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@paycode/service-runtime/testing';
import { GatewayUnderTest } from '../testing/gateway-under-test';
import { SlowReaders } from '../testing/slow-readers';

const policy = `default-src 'none'; script-src 'self'`;
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

/** A site as the build leaves it; `changed`: names and texts of its files. */
function writeSite(folder: string, changed: Record<string, string> = {}): void {
  const texts: Record<string, string> = {
    'index.html': 'start',
    '404.html': 'no such page',
    'landing.html': 'landing',
    'how-to/log-in.html': 'log in',
    'decisions/index.html': 'decisions',
    'assets/app.abc.js': 'script',
    ...changed,
  };
  const files = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => {
      mkdirSync(join(folder, name, '..'), { recursive: true });
      writeFileSync(join(folder, name), text);
      const type = name.endsWith('.html') ? 'text/html; charset=utf-8' : 'text/javascript; charset=utf-8';
      return [name, { type, bytes: Buffer.byteLength(text), etag: `"${text}"` }];
    }),
  );
  rmSync(join(folder, 'site.json'), { force: true });
  writeFileSync(join(folder, 'site.json'), JSON.stringify({ policy, files }));
}

/** Files below `folder` that this process has open. */
function openFiles(folder: string): string[] {
  const targets = readdirSync('/proc/self/fd').map(fd => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      // The file was closed meanwhile.
      return '';
    }
  });
  return targets.filter(target => target.startsWith(folder));
}

/** Bytes of answers that the gateway keeps for its clients. */
async function heldBytes(gateway: GatewayUnderTest): Promise<number> {
  const metrics = await fetch(`http://127.0.0.1:${gateway.service.ports.internal}/metrics`).then(answer => answer.text());
  return Number(/^paycode_api_gateway_answer_bytes_held\S* (\d+)$/m.exec(metrics)?.[1] ?? 0);
}

describe('the documentation at /docs/ (A-90)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'paycode-site-'));
  writeSite(folder);
  writeFileSync(join(folder, 'unlisted.txt'), 'secret');
  const gateway = GatewayUnderTest.ofSpec({ SITE_FOLDER: folder });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['/docs/', 200, 'start'],
    ['/docs/how-to/log-in', 200, 'log in'],
    ['/docs/how-to/log-in?theme=dark', 200, 'log in'],
    ['/docs/decisions/', 200, 'decisions'],
    ['/docs/assets/app.abc.js', 200, 'script'],
    ['/docs/nothing-here', 404, 'no such page'],
    ['/docs/unlisted.txt', 404, 'no such page'],
    ['/docs/site.json', 404, 'no such page'],
  ])('%s answers %d, and nobody is asked who calls', async (path, status, text) => {
    const answer = await gateway.send(path);
    expect([answer.status, answer.text, answer.headers['content-length']]).toEqual([status, text, String(text.length)]);
    expect(gateway.asked).toEqual([]);
  });

  it.each(['/docs/../landing.html', '/docs/%2e%2e/landing.html', '/docs//etc/passwd', '/docs/..%2f..%2fetc/passwd'])(
    'no path leads out of the folder: %s (T-26)',
    async path => {
      expect((await gateway.send(path)).status).toBe(400);
    },
  );

  it('a page brings its security policy, and a file that never changes may be kept', async () => {
    const [page, script] = [await gateway.send('/docs/'), await gateway.send('/docs/assets/app.abc.js')];
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    });
    expect(script.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  });

  it('a known page is not sent again, and HEAD sends no body', async () => {
    const { headers } = await gateway.send('/docs/');
    const again = await gateway.send('/docs/', { headers: { 'if-none-match': headers.etag! } });
    expect([again.status, again.text]).toEqual([304, '']);
    const head = await gateway.send('/docs/', { method: 'HEAD' });
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', '5']);
  });

  it('takes GET and HEAD only, and leads from /docs to /docs/', async () => {
    const posted = await gateway.post('/docs/', '{}');
    expect([posted.status, posted.headers.allow]).toEqual([405, 'GET, HEAD']);
    const short = await gateway.send('/docs');
    expect([short.status, short.headers.location]).toEqual([308, '/docs/']);
  });

  it('a browser finds the landing page at /; for every other client / is what it is without a site (A-91)', async () => {
    const landing = await gateway.send('/', { headers: browser });
    expect([landing.status, landing.text, landing.headers['vary']]).toEqual([200, 'landing', 'accept']);
    expect(gateway.asked).toEqual([]);
    const other = await gateway.send('/', { headers: { accept: 'application/json' } });
    expect(other.status).toBe(404);
    expect(gateway.asked).toHaveLength(1);
  });

  it('a site that is built anew is served without a restart; a file that does not fit the list is not', async () => {
    writeSite(folder, { 'index.html': 'another start' });
    expect((await gateway.send('/docs/')).text).toBe('another start');
    writeFileSync(join(folder, 'index.html'), 'half');
    const answer = await gateway.send('/docs/');
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5']);
    writeSite(folder);
    expect((await gateway.send('/docs/')).text).toBe('start');
  });

  it('regression: clients that do not read keep no file open (T-12)', async () => {
    writeSite(folder, { 'assets/large.abc.js': 'x'.repeat(500_000) });
    const readers = await SlowReaders.open({ port: gateway.port, paths: Array<string>(8).fill('/docs/assets/large.abc.js') });
    try {
      await eventually(async () => expect(await heldBytes(gateway)).toBeGreaterThan(0));
      await eventually(() => expect(openFiles(folder)).toEqual([]));
      expect(await heldBytes(gateway)).toBeGreaterThan(0);
    } finally {
      await readers.close();
      writeSite(folder);
    }
  });

  it('while nothing is built, /docs/ says so and / is as without a site', async () => {
    rmSync(join(folder, 'site.json'));
    const answer = await gateway.send('/docs/');
    expect([answer.status, answer.body['message']]).toEqual([503, 'the documentation is being built']);
    expect((await gateway.send('/', { headers: browser })).status).toBe(404);
    writeSite(folder);
  });

  it('without the setting /docs/ is a path like any other', async () => {
    const without = await GatewayUnderTest.start();
    try {
      expect((await without.send('/docs/')).status).toBe(404);
      expect(without.asked).toHaveLength(1);
    } finally {
      await without.stop();
    }
  });
});
