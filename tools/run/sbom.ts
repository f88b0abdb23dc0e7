/** `npm run release -- sbom`: dist/sbom/workspace.cdx.json, and one of each service's image, built first; images carry theirs as /app/sbom.cdx.json. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { imagePackages } from './images/assemble.ts';
import { imageBom, packagesAt, textOf, workspaceBom } from './images/sbom.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'dist/sbom');
const isService = (app: string): boolean => app !== 'standalone' && existsSync(join(root, 'apps', app, 'src/main.ts'));
const services = readdirSync(join(root, 'apps')).filter(isService);

execFileSync(process.execPath, ['tools/run/build.ts', ...services], { cwd: root, stdio: 'inherit' });
mkdirSync(folder, { recursive: true });
const workspace = workspaceBom();
const boms = {
  workspace,
  ...Object.fromEntries(services.map(app => [app, imageBom(workspace, app, packagesAt(imagePackages(app).places))])),
};
for (const [name, bom] of Object.entries(boms)) {
  writeFileSync(join(folder, `${name}.cdx.json`), textOf(bom));
  console.log(`dist/sbom/${name}.cdx.json: ${bom.components.length} packages`);
}
