import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');
const chart = 'k8s/charts/paycode';

export interface PackOptions {
  /** Where packages go. */
  folder: string;
  version: string;
  epochS: number;
}

/** The kits: npm packages as npm packs them, others as source archives, which their own tools build. Paths of the files. */
export function packKits({ folder, epochS }: PackOptions): string[] {
  mkdirSync(folder, { recursive: true });
  const kits = readdirSync(join(root, 'kits'), { withFileTypes: true }).filter(
    entry => entry.isDirectory() && entry.name !== 'vectors',
  );
  return kits.map(({ name }) => {
    if (existsSync(join(root, 'kits', name, 'package.json'))) return packNpm(join(root, 'kits', name), folder);
    const archive = join(folder, `paycode-kit-${name}-src.tar.gz`);
    archiveOf(join('kits', name), { archive, epochS });
    return archive;
  });
}

/** The chart as `helm package` lays it out; undefined while there is none. @throws Error when it has another version */
export function packChart({ folder, version, epochS }: PackOptions): string | undefined {
  const file = join(root, chart, 'Chart.yaml');
  if (!existsSync(file)) return undefined;
  const found = /^version: ['"]?([^'"\s]+)/m.exec(readFileSync(file, 'utf8'))?.[1];
  if (found !== version) throw new Error(`${chart}/Chart.yaml has the version ${found}, not ${version}`);
  mkdirSync(folder, { recursive: true });
  const archive = join(folder, `paycode-${version}.tgz`);
  archiveOf(chart, { archive, epochS });
  return archive;
}

/** npm keeps the modes of files, and `prepack` writes them: the caller's umask decides nothing. */
function packNpm(kit: string, folder: string): string {
  const umask = process.umask(0o022);
  try {
    return packed(kit, folder);
  } finally {
    process.umask(umask);
  }
}

function packed(kit: string, folder: string): string {
  const text = execFileSync('npm', ['pack', '--json', '--loglevel=error', '--pack-destination', folder], {
    cwd: kit,
    encoding: 'utf8',
  });
  // The output of `prepack` comes first.
  const [{ filename }] = JSON.parse(text.slice(text.search(/^\[/m))) as [{ filename: string }];
  return join(folder, filename.replace(/^@/, '').replaceAll('/', '-'));
}

/** Same files, same bytes: sorted, owned by nobody, all of one time. */
function archiveOf(path: string, { archive, epochS }: { archive: string; epochS: number }): void {
  const [parent, name] = [join(root, path, '..'), path.split('/').at(-1)!];
  const files = execFileSync('git', ['ls-files', '-z', name], { cwd: parent, encoding: 'utf8' });
  const reproducible = [
    '--sort=name',
    `--mtime=@${epochS}`,
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=u=rwX,go=rX',
    '--format=gnu',
  ];
  const args = [...reproducible, '--null', '--files-from=-', '--use-compress-program=gzip -n', '-cf', archive];
  execFileSync('tar', args, { cwd: parent, input: files.split('\0').sort().filter(Boolean).join('\0') });
}
