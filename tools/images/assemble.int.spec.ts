import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const isService = (app: string) => app !== 'standalone' && existsSync(join(root, 'apps', app, 'src/main.ts'));
const services = readdirSync(join(root, 'apps')).filter(isService);
const env = { PATH: process.env['PATH'] };
const node = (args: readonly string[]) => execFileSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' });

describe('ADR 0025: the content of an image', () => {
  let folder: string;
  beforeAll(() => {
    // Outside the workspace: nothing is found in its node_modules.
    folder = mkdtempSync(join(tmpdir(), 'paycode-images-'));
    node(['tools/build.ts', ...services]);
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(services)(
    '%s: loads all of its code and names the settings it misses; each package is there by its manifest',
    service => {
      const image = join(folder, service);
      const [, packages] = /(\d+) packages/.exec(node(['tools/images/assemble.ts', service, image]))!;
      const { status, stderr } = spawnSync(process.execPath, ['main.cjs'], { cwd: image, env, encoding: 'utf8' });
      expect(stderr).toContain(`${service}: environment is not usable`);
      expect(status).toBe(1);
      const manifests = readdirSync(join(image, 'node_modules'), { recursive: true, encoding: 'utf8' });
      const named = manifests.filter(file => file.endsWith('/package.json'));
      expect(named.length).toBeGreaterThanOrEqual(Number(packages));
      expect(manifests).toContain('kafkajs/src/consumer/consumerGroup.js');
    },
  );

  it('classes in the bundle of packages keep the names they were written with', () => {
    const packages = join(root, 'dist/apps/webhook-dispatcher/packages.cjs');
    // Its own body refers to it, for which a bundler gives it another name.
    const name = `require(${JSON.stringify(packages)})['@nestjs/common'].ConfigurableModuleBuilder.name`;
    expect(node(['-p', name]).trim()).toBe('ConfigurableModuleBuilder');
  });
});
