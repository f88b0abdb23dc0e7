import { kebabName, pascalCase } from './words.ts';
import { CannotAddError, type WorkspaceEdit } from './workspace-edit.ts';

export interface NewCapability {
  service: string;
  /** The folder: `opening-hours`. */
  name: string;
  /** The first use case, a verb and its object: `read-opening-hours`. */
  useCase: string;
}

/**
 * Makes the folder with its `index.ts`, its module and a first use case with its spec, and adds the module to the app. @throws
 * CannotAddError
 */
export function newCapability(edit: WorkspaceEdit, { service, name, useCase }: NewCapability): void {
  kebabName(name, 'the name of a capability');
  if (!kebabName(useCase, 'the use case').includes('-'))
    throw new CannotAddError('the use case is a verb and its object: read-opening-hours');
  const app = `apps/${service}/src/app.module.ts`;
  if (!edit.has(app)) throw new CannotAddError(`there is no ${app}`);
  const folder = `apps/${service}/src/${name}`;
  const parts = { name, useCase, module: `${pascalCase(name)}Module`, service: `${pascalCase(useCase)}Service` };
  edit.add(
    `${folder}/index.ts`,
    `export { ${parts.module} } from './${name}.module';\nexport { ${parts.service} } from './${useCase}.service';\n`,
  );
  edit.add(`${folder}/${name}.module.ts`, moduleText(parts));
  edit.add(`${folder}/${useCase}.service.ts`, serviceText(parts));
  edit.add(`${folder}/${useCase}.service.spec.ts`, specText(parts));
  edit.insertSorted(app, /^import .* from '\.\/[a-z-]+';$/, `import { ${parts.module} } from './${name}';`);
  edit.insertBefore(app, /^ {6}\],$/, `${parts.module},\n`);
  showInTree(edit, { service, name });
}

/** The architecture page draws the folders of one service; `npm run check` compares. */
function showInTree(edit: WorkspaceEdit, { service, name }: Pick<NewCapability, 'service' | 'name'>): void {
  const page = 'docs/explanation/architecture.md';
  const tree = new RegExp(`^apps/${service}/src/\\n(?:  .*\\n)*`, 'm').exec(edit.read(page))?.[0];
  if (tree === undefined) return;
  const last = tree.trimEnd().split('\n').at(-1)!;
  const line = `  ${`${name}/`.padEnd(21)}${name.replaceAll('-', ' ')}\n`;
  edit.insertBefore(page, new RegExp(`^${last.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`), line);
}

interface Parts {
  name: string;
  useCase: string;
  module: string;
  service: string;
}

const verbOf = (useCase: string): string => useCase.slice(0, useCase.indexOf('-'));

function moduleText({ useCase, module, service }: Parts): string {
  return `import { Module } from '@nestjs/common';
import { ${service} } from './${useCase}.service';

@Module({ providers: [${service}], exports: [${service}] })
export class ${module} {}
`;
}

function serviceText({ name, useCase, service }: Parts): string {
  return `import { Injectable } from '@nestjs/common';

/** Flow: caller -> ${useCase} -> answer. What it needs from outside becomes an abstract class in ${name}.ports.ts. */
@Injectable()
export class ${service} {
  ${verbOf(useCase)}(merchantId: number): { merchantId: number } {
    return { merchantId };
  }
}
`;
}

function specText({ name, useCase, service }: Parts): string {
  return `import { ${service} } from './${useCase}.service';

describe('${name.replaceAll('-', ' ')}', () => {
  it('are those of the merchant that was asked for', () => {
    expect(new ${service}().${verbOf(useCase)}(1001)).toEqual({ merchantId: 1001 });
  });
});
`;
}
