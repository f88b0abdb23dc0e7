import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describeKit } from './describe-kit';
import { copyOf, kitsFolder, type Program, run } from './receiver-kit';

const sources = 'src/main/java/com/paycode/receiver';

/** `javac` and `jar`, which is what Maven runs of the pom (no plugins are downloaded); a program that has the jar on its class path. */
async function install(folder: string): Promise<Program> {
  const source = copyOf('java', folder);
  const files = readdirSync(join(source, sources)).map(file => join(sources, file));
  await run('javac', ['--release', '17', '-Xlint:all', '-Werror', '-d', 'target/classes', ...files], { cwd: source });
  const jar = join(folder, 'paycode-receiver-0.1.0.jar');
  await run('jar', ['--create', '--file', jar, '-C', 'target/classes', '.'], { cwd: source });
  await run('javac', ['--release', '17', '-cp', jar, '-d', folder, join(kitsFolder, 'java/conform/Conform.java')], {
    cwd: folder,
  });
  return {
    command: 'java',
    args: ['-XX:TieredStopAtLevel=1', '-Xshare:auto', '-cp', `${jar}:${folder}`, 'Conform'],
    cwd: folder,
  };
}

describeKit({
  name: 'Java',
  needs: [
    ['javac', '--version'],
    ['jar', '--version'],
  ],
  adapters: ['jdk'],
  install,
});
