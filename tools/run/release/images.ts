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
  /** `linux/amd64,linux/arm64`; buildah builds for this machine alone. */
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
 * of the stage `build` (`ops-build`) of docker/Dockerfile: it is the same for every platform, and no emulated machine has to build it.
 */
export function buildImage(app: string, options: ImageOptions): BuiltImage {
  const context = join(options.folder, 'contexts', app);
  assemble(app, join(context, 'image'));
  const archive = join(options.folder, 'images', `${app}.oci.tar`);
  mkdirSync(join(options.folder, 'images'), { recursive: true });
  rmSync(archive, { force: true });
  const run = options.builder === 'docker' ? buildWithDocker : buildWithBuildah;
  run(app, { ...options, context, archive });
  return { app, digest: digestIn(archive), archive };
}

type Build = ImageOptions & { context: string; archive: string };

function buildArguments(app: string, { version, base, context }: Build): string[] {
  const values = [`APP=${app}`, `VERSION=${version}`, ...(base === undefined ? [] : [`BASE=${base}`])];
  const [target, stage] = app === ops ? ['ops', 'ops-build'] : ['service', 'build'];
  return ['--file', 'docker/Dockerfile', '--target', target, '--build-context', `${stage}=${context}`].concat(
    values.flatMap(value => ['--build-arg', value]),
  );
}

function buildWithDocker(app: string, build: Build): void {
  const output = `type=oci,dest=${build.archive},rewrite-timestamp=true`;
  // Attestations of buildkit hold the times of its run: a release has statements of its own.
  const args = ['buildx', 'build', '--platform', build.platforms, '--provenance=false', '--sbom=false', '--output', output];
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(build.epochS) };
  execFileSync('docker', [...args, ...buildArguments(app, build), '.'], { cwd: root, stdio: 'inherit', env });
}

function buildWithBuildah(app: string, build: Build): void {
  const tag = `localhost/paycode-release/${app}:${build.version}`;
  const args = ['build', '--quiet', '--timestamp', String(build.epochS), '--layers=false', '--tag', tag];
  execFileSync('buildah', [...args, ...buildArguments(app, build), '.'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  execFileSync('buildah', ['push', '--quiet', tag, `oci-archive:${build.archive}`], { stdio: ['ignore', 'ignore', 'inherit'] });
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
