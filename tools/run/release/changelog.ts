export interface Cut {
  /** The file with an empty Unreleased section and the version below it. */
  text: string;
  /** The changes of the version: its headings and lines. */
  notes: string;
}

const heading = '## Unreleased\n';

/** Moves what is under Unreleased under the version. @throws Error when there is nothing to release, or the version stands there already */
export function cutChangelog(text: string, { version, date }: { version: string; date: string }): Cut {
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
