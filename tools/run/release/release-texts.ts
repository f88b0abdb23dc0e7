const heading = '## Unreleased\n';

/** Moves what is under Unreleased under the version; gives the file and the notes. @throws Error when there is nothing to release, or the version stands there already */
export function cutChangelog(text: string, { version, date }: { version: string; date: string }) {
  const at = text.indexOf(heading);
  if (at < 0) throw new Error('CHANGELOG.md has no section "## Unreleased"');
  if (new RegExp(`^## ${version.replaceAll('.', '\\.')}\\b`, 'm').test(text))
    throw new Error(`CHANGELOG.md has ${version} already`);
  const from = at + heading.length;
  const next = text.indexOf('\n## ', from);
  const end = next < 0 ? text.length : next + 1;
  const notes = text.slice(from, end).trim();
  if (!/^- /m.test(notes)) throw new Error('CHANGELOG.md: nothing stands under Unreleased');
  const rest = text.slice(end);
  const released = `${text.slice(0, from)}\n## ${version} - ${date}\n\n${notes}\n`;
  return { text: rest === '' ? released : `${released}\n${rest}`, notes };
}

/** Every place that names the version of the platform; kits have versions of their own. */

interface VersionPlace {
  file: string;
  /** Finds the version in group 2; the groups around it stay. */
  pattern: RegExp;
  /** How the place writes `1.2.3`. Default: as it is. */
  form?: (version: string) => string;
  /** How often the pattern must be found. Default 1. */
  times?: number;
}

const dashed = (version: string): string => version.replaceAll('.', '-');
const suffix = /(^nameSuffix: -v)([0-9A-Za-z-]+)($)/m;

export const versionPlaces: readonly VersionPlace[] = [
  { file: 'package.json', pattern: /(^\{\s+"name": "paycode",\s+"version": ")([^"]+)(")/ },
  // The workspace itself stands twice at the top.
  { file: 'package-lock.json', pattern: /("name": "paycode",\s+"version": ")([^"]+)(")/g, times: 2 },
  { file: 'docker/Dockerfile', pattern: /(^ARG VERSION=)(\S+)($)/gm, times: 2 },
  { file: 'libs/safe-http/src/outbound-env.ts', pattern: /('Paycode\/)([^']+)(')/ },
  { file: 'k8s/base/payment-simulator/migration/kustomization.yaml', pattern: suffix, form: dashed },
  { file: 'k8s/components/migrations/jobs/kustomization.yaml', pattern: suffix, form: dashed },
  { file: 'k8s/charts/paycode/Chart.yaml', pattern: /(^version: ['"]?)([^'"\s]+)(['"]?$)/m },
  { file: 'k8s/charts/paycode/Chart.yaml', pattern: /(^appVersion: ['"]?)([^'"\s]+)(['"]?$)/m },
];

const form = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;

/** @throws Error unless `next` is a version (x.y.z) behind `current`, which `isSame` allows too */
export function checkVersion(current: string, next: string, { isSame = false }: { isSame?: boolean } = {}): void {
  const wanted = numbersOf(next, '--version');
  const present = numbersOf(current, 'package.json');
  const order = wanted.map((number, at) => number - present[at]!).find(difference => difference !== 0) ?? 0;
  if (order < 0 || (order === 0 && !isSame)) throw new Error(`--version: ${next} does not come after ${current}`);
}

function numbersOf(version: string, where: string): number[] {
  const found = form.exec(version);
  if (!found) throw new Error(`${where}: ${JSON.stringify(version)} is no version x.y.z`);
  return found.slice(1).map(Number);
}

/** The text with the version in this place. @throws Error when the place is not found as often as it must be */
export function withVersion(
  text: string,
  { file, pattern, form: formOf = same, times = 1 }: VersionPlace,
  version: string,
): string {
  let left = times;
  const found = text.replace(pattern, (...[whole, before, , after]: string[]) => {
    if (left === 0) return whole!;
    left -= 1;
    return `${before}${formOf(version)}${after}`;
  });
  if (left > 0) throw new Error(`${file}: the version was not found where it must be`);
  return found;
}

function same(version: string): string {
  return version;
}

export interface Subject {
  name: string;
  sha256: string;
}

interface ProvenanceOptions {
  subjects: readonly Subject[];
  version: string;
  /** Of the sources: full commit id, and whether the work tree had other content. */
  source: { repository: string; commit: string; isDirty: boolean };
  /** Resolved inputs with their digests: base images, lock file. */
  materials: readonly { uri: string; sha256: string }[];
  /** SOURCE_DATE_EPOCH of the build, in seconds. */
  epochS: number;
  /** The builder that ran it: a workflow's URL, or `local`. */
  builder: string;
}

const statementType = 'https://in-toto.io/Statement/v1';
const predicateType = 'https://slsa.dev/provenance/v1';
const buildType = 'https://paycode.invalid/release/v1';

/**
 * In-toto statement with SLSA provenance 1.0. It is not signed: `cosign attest --type slsaprovenance1 --predicate` takes its `predicate`,
 * `cosign attest-blob --statement` the whole.
 */
export function provenanceOf({ subjects, version, source, materials, epochS, builder }: ProvenanceOptions) {
  if (subjects.length === 0) throw new Error('a provenance statement needs a subject');
  const { repository, commit, isDirty } = source;
  return {
    _type: statementType,
    subject: [...subjects].sort(byName).map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType,
    predicate: {
      buildDefinition: {
        buildType,
        externalParameters: { version, repository, commit, isDirty },
        internalParameters: { sourceDateEpoch: epochS },
        resolvedDependencies: [
          { uri: `git+${repository}@${commit}`, digest: { gitCommit: commit } },
          ...materials.map(({ uri, sha256 }) => ({ uri, digest: { sha256 } })),
        ],
      },
      runDetails: { builder: { id: builder } },
    },
  };
}

function byName(a: Subject, b: Subject): number {
  return a.name < b.name ? -1 : 1;
}

/** Settings by service. */
type Settings = Record<string, Record<string, Setting>>;

interface Setting {
  required: boolean;
  default?: unknown;
  secret?: boolean;
}

export interface ReleaseState {
  settings: Settings;
  /** Paths of migrations. */
  migrations: readonly string[];
  /** Names of topics with their partitions. */
  topics: Readonly<Record<string, number>>;
}

interface UpgradeOptions {
  version: string;
  /** Null: nothing was released before. */
  previous: { version: string; state: ReleaseState } | null;
  state: ReleaseState;
  /** Of the changelog. */
  notes: string;
}

/** The tag of the release before `version`, whose own tag may be set already. `tags`: the latest first. */
export function tagBefore(tags: readonly string[], version: string): string | undefined {
  return tags.find(tag => tag !== '' && tag !== `v${version}`);
}

/** Notes for an operator before the roll-out, from the differences of both releases: settings, migrations, topics, and lines that say so. */
export function upgradeNotes({ version, previous, state, notes }: UpgradeOptions): string {
  const title = `# Upgrade to ${version}\n`;
  if (!previous) {
    const count = state.migrations.length;
    return `${title}\nThe first release: there is nothing to upgrade from. ${count} migrations make the databases.\n`;
  }
  const sections = [
    section('Read first', linesThatWarn(notes)),
    section('Settings', settingChanges(previous.state.settings, state.settings)),
    section('Migrations, run by the Jobs before the pods change', addedOf(previous.state.migrations, state.migrations)),
    section('Topics', topicChanges(previous.state.topics, state.topics)),
  ].filter(text => text !== '');
  const none = 'No setting, table or topic changes. Apply the manifests with the new digests.\n';
  return [`${title}\nFrom ${previous.version}.\n`, ...(sections.length === 0 ? [none] : sections)].join('\n');
}

function section(heading: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `## ${heading}\n\n${lines.map(line => `- ${line}\n`).join('')}`;
}

/** Lines of the changelog after which a roll-out needs more than an apply. */
function linesThatWarn(notes: string): string[] {
  const words = /cannot call each other|replace them together|` (are|is) gone|renamed|no longer accepts|by hand/i;
  return notes
    .split('\n')
    .filter(line => line.startsWith('- ') && words.test(line))
    .map(line => line.slice(2));
}

function settingChanges(before: Settings, after: Settings): string[] {
  const services = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return services.flatMap(service => {
    if (!before[service]) return [`\`${service}\` is new: ${requiredOf(after[service]!)}`];
    if (!after[service]) return [`\`${service}\` is gone`];
    return changesOf(before[service], after[service]).map(change => `\`${service}\`: ${change}`);
  });
}

function requiredOf(settings: Settings[string]): string {
  const names = Object.keys(settings).filter(name => settings[name]!.required);
  return names.length === 0 ? 'it needs no setting' : `it needs ${names.map(name => `\`${name}\``).join(', ')}`;
}

function changesOf(before: Settings[string], after: Settings[string]): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap(name => {
    const [old, now] = [before[name], after[name]];
    if (!old) return [`\`${name}\` is new${now!.required ? ', and **required**' : ''}`];
    if (!now) return [`\`${name}\` is gone: a service given it starts all the same, and ignores it`];
    return changeOf(name, old, now);
  });
}

function changeOf(name: string, old: Setting, now: Setting): string[] {
  if (now.required && !old.required) return [`\`${name}\` is now **required**`];
  const [was, is] = [JSON.stringify(old.default ?? null), JSON.stringify(now.default ?? null)];
  return was === is ? [] : [`the default of \`${name}\` was ${was} and is ${is}`];
}

function addedOf(before: readonly string[], after: readonly string[]): string[] {
  return after.filter(path => !before.includes(path)).map(path => `\`${path}\``);
}

function topicChanges(before: ReleaseState['topics'], after: ReleaseState['topics']): string[] {
  const changed = Object.entries(after).flatMap(([name, partitions]) => {
    if (before[name] === undefined) return [`\`${name}\` is new, with ${partitions} partitions: create it first`];
    return before[name] === partitions
      ? []
      : [`\`${name}\` has ${partitions} partitions in place of ${before[name]}: a new topic is needed`];
  });
  const gone = Object.keys(before).filter(name => after[name] === undefined);
  return [...changed, ...gone.map(name => `\`${name}\` is no longer written: delete it once its consumers have read it`)];
}
