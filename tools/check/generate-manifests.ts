/** `npm run generate -- manifests`: writes the Helm chart from the overlays (needs kubectl, which renders them). The manifest checks fail when it is stale. */
import { join } from 'node:path';
import { chartFiles } from './chart/chart-files.ts';
import { writePages } from './docs/page.ts';

const files = await chartFiles(join(import.meta.dirname, '../..'));
for (const path of writePages([...files].map(([path, text]) => ({ path, text })))) console.log(`wrote ${path}`);
