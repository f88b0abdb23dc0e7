/** `npm run manifests:generate`: writes the manifests that have another source. The manifest checks fail when one is stale. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedManifests } from './manifests/generated-manifests.ts';

const root = join(import.meta.dirname, '../..');
for (const [path, text] of await generatedManifests(root)) writeFileSync(join(root, path), text);
