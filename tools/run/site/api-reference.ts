import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import { parse } from 'yaml';

const own = join(import.meta.dirname, 'api');
const viewer = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
/** The files of the viewer that the page needs, with its licence. */
const viewerFiles = ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt'];

/**
 * Writes the API reference into `<site>/api`: a page that shows the OpenAPI documents and sends what is tried to the host that serves it. The viewer is
 * copied as its package has it.
 */
export function writeApiReference(root: string, site: string): void {
  const folder = join(site, 'api');
  mkdirSync(folder, { recursive: true });
  for (const name of ['index.html', 'page.css', 'page.js']) copyFileSync(join(own, name), join(folder, name));
  for (const name of viewerFiles) copyFileSync(join(viewer, name), join(folder, name));
  for (const name of ['public', 'webhooks']) {
    const text = readFileSync(join(root, `docs/reference/http/${name}.openapi.yaml`), 'utf8');
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(name === 'public' ? onThisHost(text) : parse(text)));
  }
}

/** The document with the address of whoever serves it, in place of the addresses that its file has. */
function onThisHost(text: string): object {
  return { ...(parse(text) as object), servers: [{ url: '/', description: 'The platform that serves this page.' }] };
}
