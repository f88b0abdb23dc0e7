import { entriesOf } from '../docs/api-version-pages.ts';
import { CannotAddError, type WorkspaceEdit } from './workspace-edit.ts';

const changelog = 'docs/api-changelog.md';
const documents = ['tools/check/docs/openapi/notes/public.yaml', 'tools/check/docs/openapi/notes/webhooks.yaml'];

/** Names what is new in the interface in the entry of the next version, and begins that version where the newest one is published. @throws CannotAddError */
export function nameInApiChangelog(edit: WorkspaceEdit, line: string): void {
  const newest = entriesOf(edit.read(changelog))[0];
  if (!newest) throw new CannotAddError(`${changelog} has no entry of a version: add it by hand`);
  if (newest.date === undefined) return edit.replace(changelog, newest.text, `${newest.text.trimEnd()}\n- ${line}\n\n`);
  const next = newest.version.replace(/\d+$/, minor => String(Number(minor) + 1));
  edit.replace(changelog, newest.text, `## ${next}, not published yet\n\n- ${line}\n\n${newest.text}`);
  for (const document of documents) edit.replace(document, `version: '${newest.version}'`, `version: '${next}'`);
}
