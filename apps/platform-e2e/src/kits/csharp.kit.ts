import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeKit } from './describe-kit';
import { copyOf, kitsFolder, type Program, run } from './receiver-kit';

/** `dotnet pack`, then a program that takes the package from the folder. */
async function install(folder: string): Promise<Program> {
  const [packages, app] = [join(folder, 'packages'), join(folder, 'conform')];
  const env = { DOTNET_CLI_TELEMETRY_OPTOUT: '1', DOTNET_NOLOGO: '1', NUGET_PACKAGES: join(folder, 'nuget') };
  await run('dotnet', ['pack', '--output', packages], { cwd: copyOf('csharp', folder), env });
  cpSync(join(kitsFolder, 'csharp/conform'), app, { recursive: true });
  const sources = `<clear /><add key="kit" value="${packages}" />`;
  writeFileSync(join(app, 'nuget.config'), `<configuration><packageSources>${sources}</packageSources></configuration>\n`);
  await run('dotnet', ['build', '--output', 'out'], { cwd: app, env });
  return { command: 'dotnet', args: [join(app, 'out/Conform.dll')], cwd: app };
}

describeKit({
  name: 'C#',
  needs: [['dotnet', '--version']],
  isOptional: true,
  adapters: ['asp.net'],
  parserFirst: ['asp.net, parser first'],
  keepsScale: true,
  install,
});
