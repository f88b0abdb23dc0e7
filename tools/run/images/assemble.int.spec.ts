import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bom } from './sbom.ts';

const root = join(__dirname, '../../..');
const isService = (app: string) => app !== 'standalone' && existsSync(join(root, 'apps', app, 'src/main.ts'));
const services = readdirSync(join(root, 'apps')).filter(isService);
const env = { PATH: process.env['PATH'] };
const node = (args: readonly string[]) => execFileSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' });

/** A manifest below node_modules that names a version is a package's own; others only set the kind of module. */
function manifestsIn(image: string): Set<string> {
  const folder = join(image, 'node_modules');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const ofPackages = files.filter(file =>
    /(^|\/node_modules\/)(@[^/]+\/)?[^@/][^/]*\/package\.json$/.test(`/node_modules/${file}`),
  );
  const own = ofPackages.filter(
    file => !/\//.test(file.replace(/^(.*node_modules\/)?(@[^/]+\/)?/, '').replace('/package.json', '')),
  );
  const read = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as { name: string; version: string };
  return new Set(own.map(read).map(({ name, version }) => `${name}@${version}`));
}

describe('ADR 0025: the content of an image', () => {
  let folder: string;
  let printed: string;
  /** Per image: its bill of materials, and `name@version` of every package by its manifest. */
  const shipped = new Map<string, { text: string; manifests: Set<string> }>();
  beforeAll(() => {
    // Outside the workspace: nothing is found in its node_modules.
    folder = mkdtempSync(join(tmpdir(), 'paycode-images-'));
    node(['tools/run/build.ts', ...services]);
    printed = node(['tools/run/images/assemble.ts', ...services.flatMap(service => [service, join(folder, service)])]);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(services)(
    '%s: loads all of its code and names the settings it misses; each package is there by its manifest',
    service => {
      const image = join(folder, service);
      const [, packages] = new RegExp(`^${service}: (\\d+) packages`, 'm').exec(printed)!;
      const { status, stderr } = spawnSync(process.execPath, ['main.cjs'], { cwd: image, env, encoding: 'utf8' });
      expect(stderr).toContain(`${service}: environment is not usable`);
      expect(status).toBe(1);
      const manifests = readdirSync(join(image, 'node_modules'), { recursive: true, encoding: 'utf8' });
      const named = manifests.filter(file => file.endsWith('/package.json'));
      expect(named.length).toBeGreaterThanOrEqual(Number(packages));
      expect(manifests).toContain('kafkajs/src/consumer/consumerGroup.js');
      shipped.set(service, { text: readFileSync(join(image, 'sbom.cdx.json'), 'utf8'), manifests: manifestsIn(image) });
    },
  );

  it('the same input gives the same bill of materials, and every user may read all, under the umask of a careful builder too (T-42)', () => {
    const image = join(folder, 'careful');
    const args = [process.execPath, 'tools/run/images/assemble.ts', services[0]!, image];
    execFileSync('sh', ['-c', 'umask 077; exec "$@"', 'sh', ...args], { cwd: root, env });
    const files = [image, ...readdirSync(image, { recursive: true, encoding: 'utf8' }).map(file => join(image, file))];
    const hidden = files.filter(file => (statSync(file).mode & 0o066) !== 0o044);
    expect(hidden).toEqual([]);
    expect(readFileSync(join(image, 'sbom.cdx.json'), 'utf8')).toBe(shipped.get(services[0]!)!.text);
  });

  it.each(services.filter(service => service !== 'api-gateway'))(
    "%s: PostgreSQL's driver is in the image: a migration gets as far as the server, which is not there",
    service => {
      const ownEnv = { ...env, NODE_ENV: 'production', DATABASE_URL: 'postgres://nobody:none@127.0.0.1:1/none' };
      const { status, stdout, stderr } = spawnSync(process.execPath, ['main.cjs', 'migrate'], {
        cwd: join(folder, service),
        env: ownEnv,
        encoding: 'utf8',
      });
      expect(`${stdout}${stderr}`).toContain('ECONNREFUSED');
      expect(status).toBe(1);
    },
  );

  it.each(services)(
    '%s: its bill of materials lists exactly the packages in the image, with version, licence and purl (T-42)',
    service => {
      const { text, manifests } = shipped.get(service)!;
      const { components, dependencies, ...rest } = JSON.parse(text) as Bom;
      expect(rest).toMatchObject({
        bomFormat: 'CycloneDX',
        specVersion: '1.5',
        metadata: { component: { name: `paycode-${service}` } },
      });
      expect(text).not.toMatch(/timestamp|serialNumber/);
      expect(components.map(component => component['bom-ref'])).toEqual([...manifests].sort());
      const lacking = components.filter(
        ({ name, version, purl, licenses }) => purl !== `pkg:npm/${name.replace('@', '%40')}@${version}` || !licenses?.length,
      );
      expect(lacking.map(component => component['bom-ref'])).toEqual([]);
      const refs = new Set([`paycode-${service}@${components.length > 0 ? rest.metadata.component.version : ''}`, ...manifests]);
      expect(dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]).filter(ref => !refs.has(ref))).toEqual([]);
    },
  );

  it('the packages inside the pages of the portal are among them (T-42)', () => {
    const names = [...shipped.get('portal')!.manifests].map(name => name.replace(/(?<=.)@.*$/, ''));
    expect(names).toEqual(expect.arrayContaining(['react', 'react-dom', '@tanstack/react-router']));
  });

  it('classes in the bundle of packages keep the names they were written with', () => {
    const packages = join(root, 'dist/apps/webhook-dispatcher/packages.cjs');
    // Its own body refers to it, for which a bundler gives it another name.
    const name = `require(${JSON.stringify(packages)})['@nestjs/common'].ConfigurableModuleBuilder.name`;
    expect(node(['-p', name]).trim()).toBe('ConfigurableModuleBuilder');
  });
});
