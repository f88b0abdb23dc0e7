import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { sidebarOf } from './navigation';
import { type Page, pagesOf, withSiteLinks } from './pages';

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

  it.each(pagesWithCommands().map(page => [page.file, page] as const))('a test runs the commands of %s', (file, { text }) => {
    const [, kit] = /^kits\/([a-z]+)\/README\.md$/.exec(file) ?? [];
    const node = textOf(join(root, 'kits/node/README.md'));
    // No .NET is there to start the program of C#; its commands are those that the page of Node has.
    if (kit === 'csharp') expect(commandsOf(text)).toEqual(commandsOf(node).slice(-2));
    else if (kit !== undefined) expect(kits).toContain(`kit: '${kit}'`);
    else if (file.startsWith('kits/')) expect(howTos).toContain(`'${file}'`);
    else expect(howTos).toMatch(new RegExp(`'${basename(file)}'`));
  });
});
