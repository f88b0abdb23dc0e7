import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import type { Subject } from './release-texts.ts';
import { assemble } from '../images/assemble.ts';
import { kitNames, missingFor, packKit } from '../../../kits/pack.ts';

const root = join(import.meta.dirname, '../../..');
const chart = 'k8s/charts/paycode';

interface PackOptions {
  /** Where packages go. */
  folder: string;
  version: string;
  epochS: number;
}

/** The kits as their languages pack them. `missing`: those whose programs are not on this machine; `failed`: those whose programs failed; each with the reason. */
export function packKits({ folder, epochS }: Omit<PackOptions, 'version'>) {
  mkdirSync(folder, { recursive: true });
  const [missing, failed]: [string[], string[]] = [[], []];
  // npm keeps the modes of files, and `prepack` writes them: the caller's umask decides nothing.
  const umask = process.umask(0o022);
  for (const kit of kitNames) {
    const reason = missingFor(kit);
    if (reason !== undefined) missing.push(`${kit}: ${reason}`);
    else
      try {
        packKit(kit, { kits: join(root, 'kits'), to: folder, epochS });
      } catch (error) {
        failed.push(`${kit}: ${(error as Error).message.slice(0, 500)}`);
      }
  }
  process.umask(umask);
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile());
  return { files: entries.map(({ parentPath, name }) => join(parentPath, name)).sort(), missing, failed };
}

/** The chart as `helm package` lays it out. @throws Error when it has another version */
export function packChart({ folder, version, epochS }: PackOptions): string {
  const found = /^version: ['"]?([^'"\s]+)/m.exec(readFileSync(join(root, chart, 'Chart.yaml'), 'utf8'))?.[1];
  if (found !== version) throw new Error(`${chart}/Chart.yaml has the version ${found}, not ${version}`);
  mkdirSync(folder, { recursive: true });
  const archive = join(folder, `paycode-${version}.tgz`);
  archiveOf(chart, { archive, epochS });
  return archive;
}

/** Same files, same bytes: sorted, owned by nobody, all of one time. */
function archiveOf(path: string, { archive, epochS }: { archive: string; epochS: number }): void {
  const [parent, name] = [join(root, path, '..'), path.split('/').at(-1)!];
  const files = execFileSync('git', ['ls-files', '-z', name], { cwd: parent, encoding: 'utf8' });
  const reproducible = [
    '--sort=name',
    `--mtime=@${epochS}`,
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=u=rwX,go=rX',
    '--format=gnu',
  ];
  const args = [...reproducible, '--null', '--files-from=-', '--use-compress-program=gzip -n', '-cf', archive];
  execFileSync('tar', args, { cwd: parent, input: files.split('\0').sort().filter(Boolean).join('\0') });
}

/** Artefacts with another digest in the second build, and artefacts of one build only; empty when both builds are the same. */
export function differencesOf(first: readonly Subject[], second: readonly Subject[]): string[] {
  const again = new Map(second.map(({ name, sha256 }) => [name, sha256]));
  const changed = first.filter(({ name, sha256 }) => again.get(name) !== sha256);
  const names = new Set(first.map(({ name }) => name));
  return [
    ...changed.map(({ name, sha256 }) => `${name}: ${sha256}, then ${again.get(name) ?? 'none'}`),
    ...second.filter(({ name }) => !names.has(name)).map(({ name, sha256 }) => `${name}: none, then ${sha256}`),
  ];
}

/** A zone in which the date is another one, and a language that sorts and writes numbers in another way. */
const elsewhere = { TZ: 'Pacific/Kiritimati', LC_ALL: 'sv_SE.UTF-8', LANG: 'sv_SE.UTF-8' };

/** The output of `build` as on another machine: another zone and language, and files that only their owner may read. */
export function builtElsewhere<T>(build: () => T): T {
  const before = { ...process.env };
  const umask = process.umask(0o077);
  Object.assign(process.env, elsewhere);
  try {
    return build();
  } finally {
    process.umask(umask);
    for (const name of Object.keys(elsewhere)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

/** The operators' commands: an image without a service, with a stage of its own. */
export const ops = 'ops';

interface ImageOptions {
  version: string;
  /** SOURCE_DATE_EPOCH, in seconds: every time in an image is this one. */
  epochS: number;
  builder: Builder;
  /** Where archives and contexts go. */
  folder: string;
  /** Base image; default: that of the Dockerfile. */
  base?: string;
  /** `linux/amd64,linux/arm64`: the base must have each of them. */
  platforms: string;
}

type Builder = 'docker' | 'buildah';
/** How each says that it is there: docker alone has no OCI archives. */
const builders: [Builder, string[]][] = [
  ['docker', ['buildx', 'version']],
  ['buildah', ['--version']],
];

export type BuiltImage = ReturnType<typeof buildImage>;

/** The first program that is installed; undefined when there is none. */
export function findBuilder(): Builder | undefined {
  return builders.find(([program, args]) => spawnSync(program, args).status === 0)?.[0];
}

/**
 * An image whose bytes depend on the sources, the base and the epoch alone. The bundle is made here, by the Node of the lock file, and takes the place
 * of the stage `build` (`ops-build`) of docker/Dockerfile: it is the same for every platform, and the stages after it run no command, so none is emulated.
 */
export function buildImage(app: string, options: ImageOptions) {
  const context = join(options.folder, 'contexts', app);
  assemble(app, join(context, 'image'));
  const archive = join(options.folder, 'images', `${app}.oci.tar`);
  mkdirSync(join(options.folder, 'images'), { recursive: true });
  rmSync(archive, { force: true });
  const run = options.builder === 'docker' ? buildWithDocker : buildWithBuildah;
  run({ ...options, app, context, archive });
  // The digest is that of the manifest, or of the index of several platforms: what a registry calls it.
  return { app, digest: digestIn(archive), archive };
}

type Build = ImageOptions & { app: string; context: string; archive: string };

function buildArguments({ app, version, base, context }: Build): string[] {
  const values = [`APP=${app}`, `VERSION=${version}`, ...(base === undefined ? [] : [`BASE=${base}`])];
  const [target, stage] = app === ops ? ['ops', 'ops-build'] : ['service', 'build'];
  return ['--file', 'docker/Dockerfile', '--target', target, '--build-context', `${stage}=${context}`].concat(
    values.flatMap(value => ['--build-arg', value]),
  );
}

function buildWithDocker(build: Build): void {
  const output = `type=oci,dest=${build.archive},rewrite-timestamp=true`;
  // Attestations of buildkit hold the times of its run: a release has statements of its own.
  const args = ['buildx', 'build', '--platform', build.platforms, '--provenance=false', '--sbom=false', '--output', output];
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(build.epochS) };
  execFileSync('docker', [...args, ...buildArguments(build), '.'], { cwd: root, stdio: 'inherit', env });
}

/** One platform gives an image, several give an index of them, as with docker. */
function buildWithBuildah(build: Build): void {
  const name = `localhost/paycode-release/${build.app}:${build.version}`;
  const platforms = build.platforms.split(',');
  const images = platforms.map(platform => buildForPlatform(`${name}-${platform.replaceAll('/', '-')}`, platform, build));
  const archive = `oci-archive:${build.archive}`;
  if (images.length === 1) return buildah('push', '--quiet', images[0]!, archive);
  // An index of a run before would get the images of this one beside its own.
  if (spawnSync('buildah', ['manifest', 'exists', name]).status === 0) buildah('manifest', 'rm', name);
  buildah('manifest', 'create', name);
  // One after the other: in an index that buildah fills while it builds, their order is chance.
  for (const image of images) buildah('manifest', 'add', name, `containers-storage:${image}`);
  buildah('manifest', 'push', '--all', '--quiet', name, archive);
}

function buildForPlatform(tag: string, platform: string, build: Build): string {
  const dated = ['--timestamp', String(build.epochS), '--layers=false', ...freshBase(build.base)];
  buildah('build', '--quiet', '--platform', platform, ...dated, '--tag', tag, ...buildArguments(build), '.');
  return tag;
}

/**
 * The image names its base as the store does, and the name of an index is that of the platform pulled last: so each build pulls. An image that
 * is only on this machine cannot be pulled.
 */
function freshBase(base: string | undefined): string[] {
  return base?.startsWith('localhost/') ? [] : ['--pull-always'];
}

function buildah(...args: string[]): void {
  execFileSync('buildah', args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** @throws Error for an archive that does not hold exactly one image */
function digestIn(archive: string): string {
  const index = execFileSync('tar', ['-xOf', archive, 'index.json'], { encoding: 'utf8' });
  const { manifests } = JSON.parse(index) as { manifests: { digest: string }[] };
  if (manifests.length !== 1) throw new Error(`${archive} holds ${manifests.length} images, not one`);
  return manifests[0]!.digest;
}

/** Of a file, hexadecimal. */
export function sha256Of(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
