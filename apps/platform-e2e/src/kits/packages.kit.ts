import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@paycode/service-runtime/testing';
import { missingFor } from '../../../../kits/pack';
import { ExactGatewayClient } from '../testing/exact-gateway-client';
import { sharedPlatform } from '../testing/platform';
import { composerEnv, gemEnv } from './pack-kit';
import { kitsFolder, run } from './receiver-kit';

/** The site may still be in the making. */
const builtWithinMs = 600_000;

interface Language {
  kit: string;
  /** The line of kits/README.md has it. */
  line: RegExp;
  /** Before the line, as a project of the language begins. */
  before?: string;
  /** Prints `there` when the package is. */
  proof: string;
  env?: (folder: string) => Promise<Record<string, string>>;
}

const languages: Language[] = [
  {
    kit: 'node',
    line: /npm install .*receiver/,
    before: 'npm init -y',
    proof: `node -p "typeof require('@paycode/receiver').Client && 'there'"`,
  },
  {
    kit: 'paycode-dev',
    line: /npm install .*dev/,
    before: 'npm init -y',
    proof: `npx --offline paycode-dev --version && echo there`,
  },
  {
    kit: 'python',
    line: /pip install/,
    before: 'python3 -m venv venv',
    proof: `python -c "import paycode_receiver; paycode_receiver.Client; print('there')"`,
    env: async folder => ({ PATH: `${join(folder, 'venv/bin')}:${process.env['PATH']}` }),
  },
  {
    kit: 'go',
    line: /go get/,
    before: 'go mod init shop',
    proof: 'go doc paycode.example/receiver.Client && echo there',
    env: async folder => ({ GOMODCACHE: join(folder, 'modules'), GOFLAGS: '-mod=mod -modcacherw', GOTOOLCHAIN: 'local' }),
  },
  {
    kit: 'java',
    line: /\.jar/,
    proof: 'javap -cp paycode-receiver-0.1.0.jar com.paycode.receiver.Client && echo there',
  },
  {
    kit: 'php',
    line: /composer require/,
    before: `echo '{}' > composer.json`,
    proof: `php -r "require 'vendor/autoload.php'; echo class_exists('Paycode\\\\Receiver\\\\Client') ? 'there' : 'not there';"`,
    env: async folder => composerEnv(folder),
  },
  {
    kit: 'ruby',
    line: /gem install/,
    proof: `ruby -e "require 'paycode_receiver'; PaycodeReceiver::Client; puts 'there'"`,
    env: gemEnv,
  },
];

describe('the packages that a running platform serves', () => {
  const platform = sharedPlatform();
  const lines = [...readFileSync(join(kitsFolder, 'README.md'), 'utf8').matchAll(/^```sh\n([^]*?)^```$/gm)].flatMap(([, block]) =>
    block!.trim().split('\n'),
  );
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'paycode-packages-'));
    const gateway = new ExactGatewayClient(platform);
    await eventually(async () => expect((await gateway.send({ path: '/docs/' })).status).toBe(200), builtWithinMs);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const installed = async ({ kit, line, before = 'true', proof, env }: Language): Promise<string> => {
    const own = join(folder, kit);
    mkdirSync(own);
    const script = [before, lines.find(each => each.startsWith('url='))!, lines.find(each => line.test(each))!, proof];
    writeFileSync(join(own, 'install.sh'), `set -e\n${script.join('\n')}\n`);
    const given = { PAYCODE_HOME: process.env['PAYCODE_E2E_HOME']!, ...(await env?.(own)) };
    return run('bash', ['install.sh'], { cwd: own, env: given });
  };

  for (const language of languages) {
    const missing = missingFor(language.kit);
    const test = missing === undefined ? it : it.skip;
    test(`${language.kit}: the line of the page, as it stands, installs it${missing === undefined ? '' : ` (not run: ${missing})`}`, async () => {
      expect(await installed(language)).toMatch(/there$/m);
    });
  }
});
