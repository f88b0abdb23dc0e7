import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { undoneAfterEach } from '@paycode/service-runtime/testing';
import { findOutpost } from './outpost-programs.ts';

const undo = undoneAfterEach();

function folderWith(...programs: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'outpost-programs-'));
  undo(() => rmSync(folder, { recursive: true }));
  for (const name of programs) {
    writeFileSync(join(folder, name), '#!/bin/sh\n');
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

describe('what Outpost runs with', () => {
  it('is found in the folder of its build and in the folders of the system, the first one first', () => {
    const [own, first, second] = [
      folderWith('outpost', 'outpost-server'),
      folderWith('rabbitmq-server'),
      folderWith('redis-server', 'rabbitmq-server', 'epmd'),
    ];
    expect(findOutpost(own, [first, '', second])).toEqual({
      command: join(own, 'outpost'),
      server: join(own, 'outpost-server'),
      redis: join(second, 'redis-server'),
      rabbitmq: join(first, 'rabbitmq-server'),
      epmd: join(second, 'epmd'),
    });
  });

  it('is refused by the names of all that is missing, with the way to get it', () => {
    const [own, system] = [folderWith('outpost'), folderWith('redis-server')];
    mkdirSync(join(own, 'outpost-server'));
    const find = () => findOutpost(own, [system]);
    expect(find).toThrow(`--outpost: no program outpost-server in ${own}: build it in its repository`);
    expect(find).toThrow('--outpost: no program rabbitmq-server on the PATH, and Outpost needs it');
    expect(find).toThrow('no program epmd on the PATH');
    expect(find).not.toThrow(/no program (outpost|redis-server) /);
  });
});
