/**
 * `npm run generate`: writes everything that is made from code, but for the Helm chart: reference pages, contracts, settings, manifests.
 * `-- --ignored`: only what git does not hold.
 */
import { pathToFileURL } from 'node:url';
import { apiVersionPages } from './docs/api-version-pages.ts';
import { asyncApiPages, contractPages, eventsPages, topicsPages } from './docs/events-page.ts';
import { collectionPages } from './docs/collection-page.ts';
import { environmentPages, errorsPages } from './docs/environment-page.ts';
import { faultCasesPages } from './docs/fault-cases-page.ts';
import { openApiPages } from './docs/openapi-pages.ts';
import { operationsPages } from './docs/operations-page.ts';
import { isCurrent, type Page, writePages } from './docs/page.ts';
import { portalApiTypes } from './docs/portal-api-types.ts';
import { run } from './gates/run.ts';
import { generatedManifests } from './manifests/generated-manifests.ts';

let made: Promise<Page[]> | undefined;

/** Everything that is generated, in memory. @throws Error when a source cannot be rendered */
export function generatedPages(): Promise<Page[]> {
  return (made ??= pages());
}

async function pages(): Promise<Page[]> {
  const openApi = await openApiPages();
  const [publicDocument, webhooks, portal] = ['public', 'webhooks', 'console'].map(name =>
    openApi.find(({ path }) => path.endsWith(`/${name}.openapi.yaml`))!,
  ) as [Page, Page, Page];
  const [asyncApi, ...fromCode] = await Promise.all([asyncApiPages(), environmentPages(), contractPages()]);
  return [
    ...asyncApi,
    ...eventsPages(asyncApi[0]!.text),
    ...fromCode.flat(),
    ...openApi,
    portalApiTypes(portal.text),
    ...apiVersionPages(publicDocument.text, webhooks.text),
    ...operationsPages(publicDocument.text, webhooks.text),
    ...collectionPages(publicDocument.text),
    ...topicsPages(),
    ...errorsPages(),
    ...faultCasesPages(),
    ...generatedManifests(),
  ];
}

/** Pages in git that differ from what the code says now. */
export async function staleDocs(): Promise<string[]> {
  const pages = await generatedPages();
  const ignored = await ignoredOf(pages);
  return pages
    .filter(page => !ignored.includes(page) && !isCurrent(page))
    .map(({ path }) => `${path} is stale: npm run generate`);
}

/** Those that git ignores; all of them where there is no repository. */
async function ignoredOf(pages: Page[]): Promise<Page[]> {
  const { code, stdout } = await run('git', ['check-ignore', ...pages.map(({ path }) => path)], { mayFail: true });
  const paths = new Set(stdout.split('\n'));
  return code > 1 ? pages : pages.filter(({ path }) => paths.has(path));
}

/** Writes what git does not hold, and gives the paths of what it wrote. */
export async function writeIgnored(): Promise<string[]> {
  return writePages(await ignoredOf(await generatedPages()));
}

async function generate(): Promise<void> {
  const paths = process.argv.includes('--ignored') ? await writeIgnored() : writePages(await generatedPages());
  for (const path of paths) console.log(`wrote ${path}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    await generate();
  } catch (error) {
    // A plain Error names the file that somebody has to change. Any other is a fault of a generator, which its stack shows.
    if ((error as Error).constructor !== Error) throw error;
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
