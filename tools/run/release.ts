/**
 * `npm run release -- --version X.Y.Z`: everything that a release consists of, in dist/release/X.Y.Z (`--help`, docs/how-to/release.md). Publishes nothing:
 * .github/workflows/release.yml runs this and uploads the result.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { imagePackages } from './images/assemble.ts';
import { baseImages, isPinned } from './images-pin.ts';
import { imageBom, packagesAt, textOf, workspaceBom } from './images/sbom.ts';
import {
  buildImage,
  type BuiltImage,
  findBuilder,
  ops,
  sha256Of,
  packChart,
  packKits,
  builtElsewhere,
  differencesOf,
} from './release/packages.ts';
import {
  checkVersion,
  cutChangelog,
  provenanceOf,
  type Subject,
  upgradeNotes,
  versionPlaces,
  withVersion,
} from './release/release-texts.ts';
import { presentState, previousRelease, type Source, sourceOf } from './release/source.ts';

const usage = `npm run release -- --version <x.y.z> [options]
  --prepare           writes the version into the sources and moves CHANGELOG's Unreleased under it; then commit, tag v<x.y.z>, and run without it
  --dry-run           any version, any work tree: changes no source
  --images <names>    which images, with commas; all (default), or none
  --base <image>      base image in place of the Dockerfile's
  --platforms <list>  default linux/amd64,linux/arm64; the base must have them
  --twice             builds all of it again, as on another machine, and fails when a digest differs
Images need docker with buildx, or buildah. Everything goes to dist/release/<x.y.z>.
Beside it: npm run release -- pin-images (digests of base images).`;

const root = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const isService = (app: string): boolean => app !== 'standalone' && existsSync(join(root, 'apps', app, 'src/main.ts'));

function argumentsOf() {
  const { values } = parseArgs({
    options: {
      version: { type: 'string' },
      prepare: { type: 'boolean', default: false },
      'dry-run': { type: 'boolean', default: false },
      images: { type: 'string', default: 'all' },
      base: { type: 'string' },
      platforms: { type: 'string', default: 'linux/amd64,linux/arm64' },
      twice: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const services = [...readdirSync(join(root, 'apps')).filter(isService), ops];
  const apps = values.images === 'all' ? services : values.images === 'none' ? [] : values.images.split(',');
  const strange = apps.find(app => !services.includes(app));
  if (strange !== undefined)
    throw new Error(`--images: there is no image ${JSON.stringify(strange)}; there are ${services.join(', ')}`);
  return { ...values, isDry: values['dry-run'], services, apps };
}

type Call = ReturnType<typeof argumentsOf> & { version: string; source: Source; folder: string };

/** Changes the sources: versions, changelog, what is generated of them. */
function prepare({ version, source }: Call): void {
  const cut = cutChangelog(read('CHANGELOG.md'), { version, date: source.date });
  const texts = new Map<string, string>([['CHANGELOG.md', cut.text]]);
  for (const place of versionPlaces)
    texts.set(place.file, withVersion(texts.get(place.file) ?? read(place.file), place, version));
  for (const [file, text] of texts) writeFileSync(join(root, file), text);
  for (const made of ['docs', 'manifests'])
    execFileSync('npm', ['run', '--silent', 'generate', '--', made], { cwd: root, stdio: 'inherit' });
  console.log(
    `${[...texts.keys()].join(', ')}: ${version}. Check, commit, tag v${version}, then: npm run release -- --version ${version}`,
  );
}

function write(call: Call, file: string, text: string): string {
  const path = join(call.folder, file);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** The section of the changelog; in a dry run what would be moved there. */
function notesOf({ version, source, isDry }: Call): string {
  const text = read('CHANGELOG.md');
  const released = new RegExp(`^## ${version.replaceAll('.', '\\.')} .*\\n([\\s\\S]*?)(?=^## |$(?![\\s\\S]))`, 'm').exec(
    text,
  )?.[1];
  if (released !== undefined) return released.trim();
  if (!isDry) throw new Error(`CHANGELOG.md has no section of ${version}: run with --prepare first`);
  return cutChangelog(text, { version, date: source.date }).notes;
}

function writeNotes(call: Call): string[] {
  const notes = notesOf(call);
  const upgrade = upgradeNotes({ version: call.version, previous: previousRelease(call.version), state: presentState(), notes });
  return [write(call, 'NOTES.md', `${notes}\n`), write(call, 'UPGRADE.md', upgrade)];
}

function writeBoms(call: Call): string[] {
  const workspace = workspaceBom();
  const files = call.apps.map(app => {
    const bom = imageBom(workspace, app, packagesAt(imagePackages(app).places));
    return write(call, `sbom/${app}.cdx.json`, textOf(bom));
  });
  return [...files, write(call, 'sbom/workspace.cdx.json', textOf(workspace))];
}

function buildImages(call: Call): BuiltImage[] {
  if (call.apps.length === 0) return [];
  const builder = findBuilder();
  if (!builder) throw new Error('neither docker nor buildah is installed: --images none builds the rest');
  execFileSync(process.execPath, ['tools/run/build.ts', ...call.apps], { cwd: root, stdio: 'inherit' });
  const { version, folder, base, platforms, source } = call;
  const built = call.apps.map(app => buildImage(app, { version, folder, base, platforms, epochS: source.epochS, builder }));
  rmSync(join(folder, 'contexts'), { recursive: true });
  for (const { app, digest } of built) console.log(`${app}: ${digest}`);
  console.log(`platforms: ${platforms}`);
  const images = built.map(({ app, digest }) => `  - { name: paycode/${app}, digest: '${digest}' }\n`);
  write(call, 'images.yaml', `# For \`images\` of an overlay; add newName with your registry.\nimages:\n${images.join('')}`);
  return built;
}

/** Inputs besides the sources. @throws Error for a base that may be another tomorrow */
function materialsOf({ base, apps, isDry }: Call): { uri: string; sha256: string }[] {
  const lock = { uri: 'file:package-lock.json', sha256: sha256Of(join(root, 'package-lock.json')) };
  if (apps.length === 0) return [lock];
  const references = base === undefined ? baseImages(read('docker/Dockerfile')) : [base];
  const open = references.find(reference => !isPinned(reference));
  if (open !== undefined && !isDry) throw new Error(`${open} has no digest: npm run release -- pin-images`);
  const pinned = references.filter(reference => isPinned(reference));
  return [lock, ...[...new Set(pinned)].map(uri => ({ uri: `docker:${uri}`, sha256: uri.split('@sha256:')[1]! }))];
}

/** @throws Error for a kit whose tool failed */
function packedKits({ folder, source }: Call): string[] {
  const { files, missing, failed } = packKits({ folder: join(folder, 'kits'), epochS: source.epochS });
  if (failed.length > 0) throw new Error(`kits that were not packed:\n${failed.join('\n')}`);
  for (const reason of missing) console.log(`not packed, kit ${reason}`);
  return files;
}

/** Builds the artefacts of the release and returns them with their digests. */
function build(call: Call): Subject[] {
  const { version, folder, source, isDry } = call;
  if (source.isDirty && !isDry) throw new Error('the work tree has changes that are not committed');
  const materials = materialsOf(call);
  rmSync(folder, { recursive: true, force: true });
  const images = buildImages(call);
  const { epochS } = source;
  const chart = isDry && version !== versionOf() ? undefined : packChart({ folder: join(folder, 'chart'), version, epochS });
  if (!chart) console.log('no chart was packed: that of the sources has another version');
  const files = [...writeNotes(call), ...writeBoms(call), ...packedKits(call), ...(chart ? [chart] : [])];
  const named = files.map((file): Subject => ({ name: relative(folder, file), sha256: sha256Of(file) }));
  const imageSubjects = images.map(({ app, digest }): Subject => ({
    name: `paycode/${app}`,
    sha256: digest.replace('sha256:', ''),
  }));
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = process.env;
  const builder = run ? `${server}/${repository}/actions/runs/${run}` : 'https://paycode.invalid/builder/local';
  const statement = provenanceOf({ subjects: [...imageSubjects, ...named], version, source, materials, epochS, builder });
  write(call, 'provenance.intoto.json', `${JSON.stringify(statement, null, 1)}\n`);
  write(call, 'provenance.predicate.json', `${JSON.stringify(statement.predicate, null, 1)}\n`);
  write(call, 'SHA256SUMS', named.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(''));
  console.log(`${relative(root, folder)}: ${images.length} images, ${named.length} files`);
  return statement.subject.map(({ name, digest }) => ({ name, sha256: digest.sha256 }));
}

/** @throws Error that names what differs; the second build then stays, to be compared */
function buildAgain(call: Call, first: readonly Subject[]): void {
  const folder = `${call.folder}.again`;
  const different = differencesOf(
    first,
    builtElsewhere(() => build({ ...call, folder })),
  );
  if (different.length > 0) throw new Error(`a second build (${relative(root, folder)}) differs:\n${different.join('\n')}`);
  rmSync(folder, { recursive: true });
  console.log(`built twice, the same digests: ${first.length}`);
}

function versionOf(): string {
  return (JSON.parse(read('package.json')) as { version: string }).version;
}

function wantedVersion({ version, prepare: isPrepared, isDry }: ReturnType<typeof argumentsOf>): string {
  if (version === undefined) throw new Error('--version is missing');
  if (isPrepared && isDry) throw new Error('--prepare changes the sources, and --dry-run must not: give one of them');
  checkVersion(versionOf(), version, { isSame: !isPrepared });
  if (!isPrepared && !isDry && version !== versionOf())
    throw new Error(`the sources have the version ${versionOf()}: run with --prepare first, or with --dry-run`);
  return version;
}

function main(): void {
  const values = argumentsOf();
  if (values.help) return console.log(usage);
  const version = wantedVersion(values);
  const call = { ...values, version, source: sourceOf(), folder: join(root, 'dist/release', version) };
  if (values.prepare) return prepare(call);
  const built = build(call);
  if (values.twice) buildAgain(call, built);
}

try {
  main();
} catch (error) {
  console.error(`release: ${(error as Error).message}`);
  process.exitCode = 1;
}
