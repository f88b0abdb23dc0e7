import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { assemble } from '../images/assemble.ts';

const root = join(import.meta.dirname, '../../..');

/** The operators' commands: an image without a service, with a stage of its own. */
export const ops = 'ops';

export interface ImageOptions {
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

export type Builder = 'docker' | 'buildah';
/** How each says that it is there: docker alone has no OCI archives. */
const builders: [Builder, string[]][] = [
  ['docker', ['buildx', 'version']],
  ['buildah', ['--version']],
];

export interface BuiltImage {
  app: string;
  /** Of the manifest, or of the index when there are several platforms: what a registry calls it. */
  digest: string;
  /** OCI archive. */
  archive: string;
}

/** The first program that is installed; undefined when there is none. */
export function findBuilder(): Builder | undefined {
  return builders.find(([program, args]) => spawnSync(program, args).status === 0)?.[0];
}

/**
 * An image whose bytes depend on the sources, the base and the epoch alone. The bundle is made here, by the Node of the lock file, and takes the place
 * of the stage `build` (`ops-build`) of docker/Dockerfile: it is the same for every platform, and the stages after it run no command, so none is emulated.
 */
export function buildImage(app: string, options: ImageOptions): BuiltImage {
  const context = join(options.folder, 'contexts', app);
  assemble(app, join(context, 'image'));
  const archive = join(options.folder, 'images', `${app}.oci.tar`);
  mkdirSync(join(options.folder, 'images'), { recursive: true });
  rmSync(archive, { force: true });
  const run = options.builder === 'docker' ? buildWithDocker : buildWithBuildah;
  run({ ...options, app, context, archive });
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
