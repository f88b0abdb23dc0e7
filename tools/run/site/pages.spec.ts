import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { listForModels, type Page, pagesOf, sidebarOf, withLanguages, withSiteLinks } from './pages';
import { policyFor } from './seal';

describe('the documentation site (A-90)', () => {
  const pages = new Map([
    ['docs/how-to/log-in.md', '/how-to/log-in'],
    ['docs/decisions/README.md', '/decisions/'],
    ['README.md', '/project'],
  ]);
  const copied = (file: string) => (/\.(yaml|png)$/.test(file) ? `/files/${file}` : undefined);
  const rewritten = (text: string, file = 'docs/tutorials/quickstart.md') => withSiteLinks({ file, text }, { pages, copied });

  it.each([
    ['[log in](../how-to/log-in.md)', '[log in](/how-to/log-in)'],
    ['[log in](../how-to/log-in.md#renew)', '[log in](/how-to/log-in#renew)'],
    ['[decisions](../decisions/README.md)', '[decisions](/decisions/)'],
    ['[below](#here)', '[below](#here)'],
    ['[peer](https://example.org/x.md)', '[peer](https://example.org/x.md)'],
    ['[contract](../reference/a.yaml)', '[contract](/files/docs/reference/a.yaml)'],
    ['[the build](../../tools/run/build.ts)', 'the build (`tools/run/build.ts`)'],
    [
      '[probe](../reference/http/webhooks.openapi.yaml#/Webhooks/probe)',
      '[probe](/docs/api/?webhooks#/Webhooks/probe){target="_self"}',
    ],
    ['```\n[log in](../how-to/log-in.md)\n```', '```\n[log in](../how-to/log-in.md)\n```'],
  ])('a link of the sources %j is %j in the site', (text, expected) => {
    expect(rewritten(text)).toBe(expected);
  });

  const page = (path: string) => ({ file: `docs${path}.md`, path, text: '' });

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

  it('the quickstart has a tab per language, with what the page of the language says from its package to the first payment', () => {
    const list = '- [Go](/kits/go/)\n- [C#](/kits/csharp/)\n';
    const page = (path: string, text: string): Page => ({ file: `${path}README.md`, path, text });
    const steps = (kit: string) => `# ${kit}\n## Install\nget ${kit}\n## Register\nfor money\n## Routers\nmore\n`;
    const quickstart = {
      file: 'docs/tutorials/quickstart.md',
      path: '/tutorials/quickstart',
      text: `Choose:\n\n${list}\nDone.\n`,
    };
    const kits = [page('/kits/go/', steps('go')), page('/kits/csharp/', steps('csharp'))];
    const tab = (label: string, kit: string) => `== ${label}\n\nget ${kit}\n**Register**\nfor money\n`;
    expect(withLanguages(quickstart, kits).text).toBe(
      `Choose:\n\n:::tabs key:language\n${tab('Go', 'go')}\n${tab('C#', 'csharp')}\n:::\n\nDone.\n`,
    );
    expect(() => withLanguages(quickstart, kits.slice(1))).toThrow('/kits/go/');
    const all = staged();
    const text = withLanguages(
      all.find(({ path }) => path === quickstart.path)!,
      all,
    ).text;
    expect(text.match(/^== .+$/gm)).toEqual(['== Node', '== Python', '== PHP', '== Java', '== Go', '== Ruby', '== C#']);
  });

  it('the list for language models leads to pages as Markdown, and to files as they are', () => {
    const start =
      'About.\n\n## Merchant\n\n- [Errors](/a/errors#one): all\n- [Kits](/kits/)\n- [API](/docs/api/#/x)\n- [file](/files/a.yaml)\n';
    expect(listForModels(start)).toMatch(
      /^# Paycode\n\n> .*\n\n## Merchant\n\n- \[Errors\]\(\/docs\/a\/errors\.md#one\): all\n- \[Kits\]\(\/docs\/kits\/index\.md\)\n- \[API\]\(\/docs\/api\/#\/x\)\n- \[file\]\(\/docs\/files\/a\.yaml\)\n$/,
    );
  });

  /** Every page, with the links of the site. */
  function staged(): Page[] {
    const all = pagesOf(join(__dirname, '../../..'));
    const targets = { pages: new Map(all.map(({ file, path }) => [file, path])), copied: () => undefined };
    return all.map(each => ({ ...each, text: withSiteLinks(each, targets) }));
  }

  it('every page that is there can be put on the site: none is refused, in no list, or led to by a link that names no page', () => {
    const all = staged();
    const start = all.find(({ path }) => path === '/')!.text;
    const doors = sidebarOf(start, all);
    expect(doors.map(({ text }) => text)).toEqual(['Merchant or PSP', 'Operator', 'Developer of Paycode']);
    const linked = JSON.stringify(doors).matchAll(/"link":"([^"]+)"/g);
    const paths = new Set(all.map(({ path }) => path));
    expect([...linked].map(([, link]) => link!.replace(/#.*/, '')).filter(link => !paths.has(link))).toEqual([]);
  });
});

const kits = join(__dirname, '../../../kits');
const tested = readdirSync(kits).filter(name => existsSync(join(kits, name, 'conform')));
const codeFence = /^```(?:js|python|go|java|php|ruby|csharp)\n([^]*?)^```$/gm;

const lines = (text: string) => text.split('\n').map(line => line.trim());

/** Programs that the tests of a kit compile and run beside the kit itself. */
function programsOf(kit: string): string[][] {
  const folders = ['conform', 'frameworks'].map(name => join(kits, kit, name)).filter(existsSync);
  return folders.flatMap(folder => readdirSync(folder).map(file => lines(readFileSync(join(folder, file), 'utf8'))));
}

/** Parts of a page's code, ended by blank lines, that stand in no program, indentation aside. */
function inventedCode(page: string, programs: string[][]): string[] {
  // The first block is the whole program of the page: `npm run test:kits -- --table` runs it with the page's commands.
  const [, ...blocks] = [...page.matchAll(codeFence)].map(([, code]) => code!.trim());
  const stands = (part: string[]) =>
    programs.some(program => program.some((_, from) => part.every((line, at) => program[from + at] === line)));
  return blocks.flatMap(block => block.split('\n\n')).filter(part => !stands(lines(part)));
}

describe('code on the pages of the kits', () => {
  it.each(tested)('every line of code on the page of %s stands in a program that its tests run', kit => {
    const page = readFileSync(join(kits, kit, 'README.md'), 'utf8');
    expect([...page.matchAll(codeFence)].length).toBeGreaterThan(2);
    expect(inventedCode(page, programsOf(kit))).toEqual([]);
  });
});

const root = join(__dirname, '../../..');
const journeys = join(root, 'apps/platform-e2e/src');
const textOf = (file: string) => readFileSync(file, 'utf8');
const commandsOf = (text: string) => [...text.matchAll(/^ *```sh\n([^]*?)^ *```$/gm)].map(([, commands]) => commands!);

/** The pages of the site's first door that have commands. */
function pagesWithCommands(): Page[] {
  const pages = pagesOf(root);
  const targets = { pages: new Map(pages.map(({ file, path }) => [file, path])), copied: () => undefined };
  const start = withSiteLinks(
    pages.find(({ path }) => path === '/')!,
    targets,
  );
  const [integrators] = sidebarOf(start, pages);
  const links = new Set(integrators!.items!.flatMap(({ items }) => items!.map(({ link }) => link)));
  return pages.filter(({ path, text }) => links.has(path) && commandsOf(text).length > 0);
}

describe('commands on the pages for merchants and PSPs', () => {
  const howTos = textOf(join(journeys, 'how-to-commands-work.e2e.spec.ts'));
  const kits = textOf(join(journeys, 'kits/by-the-page.guide.ts'));
  const packages = textOf(join(journeys, 'kits/packages.kit.ts'));

  it.each(pagesWithCommands().map(page => [page.file, page] as const))('a test runs the commands of %s', (file, { text }) => {
    const [, kit] = /^kits\/([a-z]+)\/README\.md$/.exec(file) ?? [];
    const node = textOf(join(root, 'kits/node/README.md'));
    // No .NET is there to start the program of C#; its commands are those that the page of Node has.
    if (kit === 'csharp') expect(commandsOf(text)).toEqual(commandsOf(node).slice(-2));
    else if (kit !== undefined) expect(kits).toContain(`kit: '${kit}'`);
    else if (file === 'kits/README.md') expect(packages).toContain("join(kitsFolder, 'README.md')");
    else if (file.startsWith('kits/')) expect(howTos).toContain(`'${file}'`);
    else expect(howTos).toMatch(new RegExp(`'${basename(file)}'`));
  });
});
