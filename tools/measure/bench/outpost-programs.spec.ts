import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findOutpost } from './outpost-programs.ts';
import { programFolders } from './testing/program-folders.ts';

const folderWith = programFolders();

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
