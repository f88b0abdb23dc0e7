import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Page } from './pages.ts';

const kit = /^kits\/([a-z]+)\/README\.md$/;
const languages: Readonly<Record<string, string>> = {
  '.mjs': 'js',
  '.py': 'python',
  '.php': 'php',
  '.java': 'java',
  '.go': 'go',
  '.rb': 'ruby',
};

/** A kit's page with the program that its tests run, as the file has it: what a reader copies has been compiled and has settled a payment. */
export function withProgram(root: string, page: Page): Page {
  const [, name] = kit.exec(page.file) ?? [];
  const folder = `kits/${name}/conform`;
  if (name === undefined || !existsSync(join(root, folder))) return page;
  const shown = readdirSync(join(root, folder))
    .filter(file => languages[extname(file)] !== undefined)
    .sort()
    .map(file => `\`${folder}/${file}\`\n\n${fenced(readFileSync(join(root, folder, file), 'utf8'), file)}`);
  const intro =
    'The tests of the kit run this against a platform: receivers behind each adapter, keys that come later, a handler that fails or takes long, login, renewal, a notification that was missed.';
  return { ...page, text: [page.text.trimEnd(), '## The program of its tests', intro, ...shown, ''].join('\n\n') };
}

function fenced(code: string, file: string): string {
  return `\`\`\`${languages[extname(file)]}\n${code.trimEnd()}\n\`\`\``;
}
