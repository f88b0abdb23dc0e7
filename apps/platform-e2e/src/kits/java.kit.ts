import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeKit } from './describe-kit';
import { packJava, packJavaWithMaven } from './pack-kit';
import { kitsFolder, type Program, run, withFrameworks } from './receiver-kit';

const kit = join(kitsFolder, 'java');

/** Spring Boot's jars, from Maven Central. */
async function spring(folder: string): Promise<string> {
  const [pom, jars] = [join(folder, 'pom.xml'), join(folder, 'spring')];
  copyFileSync(join(kit, 'frameworks/spring.pom.xml'), pom);
  await run('mvn', ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${jars}`], { cwd: folder });
  return `${jars}/*`;
}

/** A program that has the jar on its class path. */
async function install(folder: string): Promise<Program> {
  const jars = withFrameworks ? `${await packJavaWithMaven(folder)}:${await spring(folder)}` : await packJava(folder, folder);
  const programs = ['conform/Conform.java', ...(withFrameworks ? ['frameworks/SpringConform.java'] : [])].map(name =>
    join(kit, name),
  );
  await run('javac', ['--release', '17', '-cp', jars, '-d', folder, ...programs], { cwd: folder });
  const args = ['-XX:TieredStopAtLevel=1', '-Xshare:auto', '-cp', `${jars}:${folder}`, 'Conform'];
  return { command: 'java', args, cwd: folder };
}

describeKit({
  name: 'Java',
  needs: [
    ['javac', '--version'],
    ['jar', '--version'],
  ],
  adapters: withFrameworks ? ['jdk', 'spring'] : ['jdk'],
  parserFirst: ['jdk, parser first'],
  install,
});
