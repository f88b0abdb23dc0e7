import { join } from 'node:path';
import { onThisHost } from './api-reference';
import { sidebarOf } from './navigation';
import { pagesOf, withProgram, withSiteLinks } from './pages';
import { CodeColours, policyFor } from './seal';

describe('the documentation site (A-90)', () => {
  const pages = new Map([
    ['docs/how-to/log-in.md', '/how-to/log-in'],
    ['docs/decisions/README.md', '/decisions/'],
    ['README.md', '/project'],
  ]);
  const copied = (file: string) => (/\.(yaml|png)$/.test(file) ? `/files/${file}` : undefined);
  const rewritten = (text: string, file = 'docs/tutorials/first-payment.md') => withSiteLinks({ file, text }, { pages, copied });

  it.each([
    ['[log in](../how-to/log-in.md)', '[log in](/how-to/log-in)'],
    ['[log in](../how-to/log-in.md#renew)', '[log in](/how-to/log-in#renew)'],
    ['[decisions](../decisions/README.md)', '[decisions](/decisions/)'],
    ['[one](../decisions/README.md#adr-0026)', '[one](/decisions/#adr-0026)'],
    ['[decisions](../decisions)', '[decisions](/decisions/)'],
    ['[README](../../README.md)', '[README](/project)'],
    ['[below](#here)', '[below](#here)'],
    ['[peer](https://example.org/x.md)', '[peer](https://example.org/x.md)'],
    ['[contract](../reference/a.yaml)', '[contract](/files/docs/reference/a.yaml)'],
    ['![payments](../images/a.png)', '![payments](/files/docs/images/a.png)'],
    ['[the build](../../tools/run/build.ts)', 'the build (`tools/run/build.ts`)'],
    ['[`build.ts`](../../tools/run/build.ts)', '`build.ts`'],
    [
      '[createCode](../reference/http/public.openapi.yaml#/Codes/createCode)',
      '[createCode](/docs/api/#/Codes/createCode){target="_self"}',
    ],
    [
      '[probe](../reference/http/webhooks.openapi.yaml#/Webhooks/probe)',
      '[probe](/docs/api/?webhooks#/Webhooks/probe){target="_self"}',
    ],
    ['[calls](../reference/http/public.openapi.yaml)', '[calls](/files/docs/reference/http/public.openapi.yaml)'],
    ['```\n[log in](../how-to/log-in.md)\n```', '```\n[log in](../how-to/log-in.md)\n```'],
  ])('a link of the sources %j is %j in the site', (text, expected) => {
    expect(rewritten(text)).toBe(expected);
  });

  const page = (path: string) => ({ file: `docs${path}.md`, path, text: '' });

  it('the side bar is the lists of the start page', () => {
    const text = '## Merchant\n\n### Begin\n\n- [Pay](/pay): first\n- [`kit`](/kits/)\n\n## Operator\n\n- [Run](/run)\n';
    expect(sidebarOf(text, [page('/'), page('/pay'), page('/kits/'), page('/kits/node/'), page('/run')])).toEqual([
      {
        text: 'Merchant',
        items: [
          {
            text: 'Begin',
            collapsed: false,
            items: [
              { text: 'Pay', link: '/pay' },
              { text: 'kit', link: '/kits/' },
            ],
          },
        ],
      },
      { text: 'Operator', items: [{ text: 'Run', link: '/run' }] },
    ]);
  });

  it('a page that no list has fails the build', () => {
    expect(() => sidebarOf('## A\n\n- [Run](/run)\n', [page('/run'), page('/lost')])).toThrow('docs/lost.md');
  });

  it('the security policy allows the scripts and styles that were built, by hash, and no others', () => {
    const built = '<script>one()</script><script src="/docs/a.js"></script><p style="text-align:right;">x</p>';
    const policy = policyFor([built, built]);
    expect(policy.match(/sha256-/g)).toHaveLength(2);
    expect(policy).toContain(`'unsafe-hashes'`);
    expect(policy).not.toMatch(/unsafe-inline|unsafe-eval|https?:/);
    const many = Array.from({ length: 30 }, (_, index) => `<p style="width:${index}px">`);
    expect(() => policyFor(many)).toThrow('30 styles');
  });

  it('the API reference calls the host that serves it, whatever addresses its document names', () => {
    const text = 'openapi: 3.1.0\nservers:\n  - url: https://{host}:{port}\npaths: {}\n';
    expect(onThisHost(text)).toEqual({
      openapi: '3.1.0',
      paths: {},
      servers: [{ url: '/', description: expect.any(String) as string }],
    });
  });

  it('the page of each language has its own entry, and shows the program that the tests of its kit run', () => {
    const root = join(__dirname, '../../..');
    const found = pagesOf(root).map(each => withProgram(root, each));
    const shows = (name: string, text: string) =>
      expect(found.find(({ path }) => path === `/kits/${name}/`)!.text).toContain(text);
    for (const name of ['node', 'python', 'php', 'java', 'go', 'ruby']) shows(name, `\`kits/${name}/conform/`);
    shows('python', 'app.add_url_rule("/paycode", view_func=for_flask(receiver), methods=["POST"])');
    shows('csharp', 'No test compiles or runs this kit');
    const index = found.find(({ file }) => file === 'docs/README.md')!.text;
    const group = index.split('### ').find(part => part.startsWith('Languages'))!;
    expect([...group.matchAll(/- \[(.+?)\]/g)].map(([, name]) => name)).toEqual([
      'Node',
      'Python',
      'PHP',
      'Java',
      'Go',
      'Ruby',
      'C#',
    ]);
  });

  it('every page that is there can be put on the site: none is refused, in no list, or led to by a link that names no page', () => {
    const root = join(__dirname, '../../..');
    const all = pagesOf(root).map(each => withProgram(root, each));
    const targets = { pages: new Map(all.map(({ file, path }) => [file, path])), copied: () => undefined };
    const staged = all.map(each => ({ ...each, text: withSiteLinks(each, targets) }));
    const start = staged.find(({ path }) => path === '/')!.text;
    const doors = sidebarOf(start, all);
    expect(doors.map(({ text }) => text)).toEqual(['Merchant or PSP', 'Operator', 'Developer of Paycode']);
    const linked = JSON.stringify(doors).matchAll(/"link":"([^"]+)"/g);
    const paths = new Set(all.map(({ path }) => path));
    expect([...linked].map(([, link]) => link!).filter(link => !paths.has(link))).toEqual([]);
  });

  it('colours of code are classes', () => {
    const colours = new CodeColours();
    const word = { type: 'element', properties: { style: '--shiki-light:#fff' } as Record<string, unknown> };
    colours.transformer.root({ type: 'root', children: [word] });
    expect(word.properties).toEqual({ class: expect.stringMatching(/^c-[0-9a-f]{8}$/) as string });
  });
});
