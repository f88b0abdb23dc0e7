import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { undoneAfterEach } from '@paycode/service-runtime/testing';

/** Makes folders with programs of these names, which the end of each test removes. */
export function programFolders(): (...programs: string[]) => string {
  const undo = undoneAfterEach();
  return (...programs) => {
    const folder = mkdtempSync(join(tmpdir(), 'programs-'));
    undo(() => rmSync(folder, { recursive: true }));
    for (const name of programs) {
      writeFileSync(join(folder, name), '#!/bin/sh\n');
      chmodSync(join(folder, name), 0o755);
    }
    return folder;
  };
}
