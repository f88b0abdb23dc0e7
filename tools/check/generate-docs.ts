/** `npm run docs:generate`: writes the reference pages that are made from code. `npm run check` fails when one of them is stale. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { apiVersionPages } from './docs/api-version-pages.ts';
import { asyncApiPages } from './docs/asyncapi-page.ts';
import { collectionPages } from './docs/collection-page.ts';
import { contractPages } from './docs/contract-pages.ts';
import { environmentPages } from './docs/environment-page.ts';
import { errorsPages } from './docs/errors-page.ts';
import { eventsPages } from './docs/events-page.ts';
import { faultCasesPages } from './docs/fault-cases-page.ts';
import { openApiPages } from './docs/openapi-pages.ts';
import { operationsPages } from './docs/operations-page.ts';
import type { Page } from './docs/page.ts';
import { topicsPages } from './docs/topics-page.ts';

const root = join(import.meta.dirname, '../..');

async function pages(): Promise<Page[]> {
  const openApi = await openApiPages();
  const [publicDocument, webhooks] = ['public', 'webhooks'].map(name =>
    openApi.find(({ path }) => path.endsWith(`/${name}.openapi.yaml`))!,
  ) as [Page, Page];
  const [asyncApi, ...fromCode] = await Promise.all([asyncApiPages(), environmentPages(), contractPages()]);
  return [
    ...asyncApi,
    ...eventsPages(asyncApi[0]!.text),
    ...fromCode.flat(),
    ...openApi,
    ...apiVersionPages(publicDocument.text, webhooks.text),
    ...operationsPages(publicDocument.text, webhooks.text),
    ...collectionPages(publicDocument.text),
    ...topicsPages(),
    ...errorsPages(),
    ...faultCasesPages(),
  ];
}

function isCurrent({ path, text }: Page): boolean {
  try {
    return readFileSync(join(root, path), 'utf8') === text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Pages that differ from what the code says now. */
export async function staleDocs(): Promise<string[]> {
  const stale = (await pages()).filter(page => !isCurrent(page));
  return stale.map(({ path }) => `${path} is stale: npm run docs:generate`);
}

async function generate(): Promise<void> {
  for (const page of (await pages()).filter(found => !isCurrent(found))) {
    mkdirSync(dirname(join(root, page.path)), { recursive: true });
    writeFileSync(join(root, page.path), page.text);
    console.log(`wrote ${page.path}`);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await generate();
