import { join } from 'node:path';
import { findSvix } from './svix-programs.ts';
import { programFolders } from './testing/program-folders.ts';

const folderWith = programFolders();

describe('what Svix runs with', () => {
  it('is its server from the folder of its build, never one of the system, and Redis of the system', () => {
    const [own, system] = [folderWith('svix-server', 'redis-server'), folderWith('svix-server', 'redis-server')];
    expect(findSvix(own, [system])).toEqual({ server: join(own, 'svix-server'), redis: join(system, 'redis-server') });
  });

  it('is refused by the names of all that is missing, with the way to get it', () => {
    const [own, system] = [folderWith(), folderWith('svix-server')];
    const find = () => findSvix(own, [system]);
    expect(find).toThrow(`--svix: no program svix-server in ${own}: build it in its repository, cargo build --release`);
    expect(find).toThrow(
      '--svix: no program redis-server on the PATH, and Svix needs it: on Debian, apt-get install redis-server',
    );
    expect(() => findSvix(own, [folderWith('redis-server')])).not.toThrow('redis-server on the PATH');
  });
});
