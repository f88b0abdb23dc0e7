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

export interface UpgradeOptions {
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
