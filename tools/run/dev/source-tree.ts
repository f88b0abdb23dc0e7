import { readdirSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';

const notBuilt = /\.spec\.ts$|\.conformance\.ts$|\/testing\//;
const built = /^(apps|libs)\/([^/]+)\/(?:src|migrations)\/.*\.(?:ts|json|html)$/;

/** Whether the file, by its path from the workspace's root, goes into a service; and the app it belongs to, if it is not a library's. */
export function builtFrom(path: string): { app: string | undefined } | undefined {
  const [, group, project] = notBuilt.test(path) ? [] : (built.exec(path) ?? []);
  return group === undefined ? undefined : { app: group === 'apps' ? project : undefined };
}

/**
 * Reports each file below `folder` that is written, made or removed. It watches folders, not files, because editors replace files.
 */
export function watchTree(folder: string, changed: (file: string) => void): void {
  const watcher = watch(folder, (_, name) => {
    if (name === null) return;
    const path = join(folder, name);
    if (isFolder(path)) watchTree(path, changed);
    else changed(path);
  });
  // Of a folder that was removed.
  watcher.on('error', () => watcher.close());
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) watchTree(join(folder, entry.name), changed);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
