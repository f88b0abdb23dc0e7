import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { inColumns } from '../command-context.ts';
import { initSecrets, type PlacedSecret } from '../secrets/init-secrets.ts';
import type { EnvironmentName } from '../secrets/wanted-secrets.ts';

const k8s = join(import.meta.dirname, '../../../../../k8s');

const example = `Example: npm run -s paycode -- secrets init --for sandbox --folder ../paycode-secrets --host pay.example

Makes every secret that k8s/overlays/<environment>, its data services and k8s/components/ops need, at random. None is
printed. In the folder:
  store/<entry>               one file per entry of the secret store (k8s/components/external-secrets)
  kubernetes/<namespace>.yaml the same as Kubernetes Secrets, for a cluster without a store
  keep/                       never for the cluster: keys of operator tokens and of authorities, certificate of the payment core
`;

interface InitFlags {
  for: EnvironmentName;
  folder: string;
  host?: string;
  databaseHost?: string;
  overlay?: string;
  complete?: boolean;
  take: string[];
}

/** Secrets of an installation on Kubernetes. These commands do not call a running platform. */
export function addSecretCommands(program: Command, write: (text: string) => void): void {
  const secrets = program.command('secrets').description('secrets of an installation on Kubernetes');
  secrets
    .command('init')
    .description('make every secret that the manifests need, and say where each belongs')
    .addHelpText('before', example)
    .addOption(new Option('--for <environment>', 'the overlay').choices(['sandbox', 'production']).makeOptionMandatory())
    .requiredOption('--folder <folder>', 'a new folder, outside of the repository; only you can open it')
    .option('--host <name>', 'DNS name that clients call; the sandbox gets a certificate for it')
    .option('--database-host <host>', 'host of PostgreSQL, with :port if it is not 5432 (default: paycode-rw.postgres)')
    .option('--overlay <folder>', 'read this overlay, which has other components, in place of that of the environment')
    .option('--complete', 'make what is missing in a folder that exists; nothing else in it changes')
    .option(
      '--take <entry=file>',
      'take the value of an entry from a file (may be repeated)',
      (pair: string, earlier: string[]) => [...earlier, pair],
      [],
    )
    .action(async (flags: InitFlags) => {
      const { for: environment, complete: isCompletion = false, ...options } = flags;
      write(tableOf(await initSecrets({ k8s, environment, isCompletion, ...options }), options.folder));
    });
}

function tableOf(places: readonly PlacedSecret[], folder: string): string {
  const rows = [
    ['SECRET', 'KEY', 'ENTRY OF THE STORE', 'STATE'],
    ...places.map(({ secret, key, entry, state }) => [secret, key, entry, state]),
  ];

  const missing = new Set(places.filter(({ state }) => state.startsWith('MISSING')).map(({ entry }) => entry)).size;
  const last =
    missing === 0 ? 'All are there.' : `${missing} entries are missing: run it again with --complete --take <entry>=<file>.`;
  return `${inColumns(rows).join('\n')}\n${folder}: ${last}\n`;
}
