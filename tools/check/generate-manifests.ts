/** `npm run manifests:generate`: writes the manifests that have another source, and the Helm chart (needs kubectl). The manifest checks fail when one is stale. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chartFiles } from './chart/chart-files.ts';
import { generatedManifests } from './manifests/generated-manifests.ts';

const root = join(import.meta.dirname, '../..');
for (const [path, text] of await generatedManifests(root)) writeFileSync(join(root, path), text);
// From what they and the other manifests render to.
for (const [path, text] of await chartFiles(root)) writeFileSync(join(root, path), text);
