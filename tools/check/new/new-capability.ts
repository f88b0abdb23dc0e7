import { kebabName, pascalCase } from './words.ts';
import { CannotAddError, type WorkspaceEdit } from './workspace-edit.ts';

export interface NewCapability {
  service: string;
  /** The folder: `opening-hours`. */
  name: string;
}

/**
 * Makes a folder with a controller, a service and a store that answer one internal route, and their test; lists the classes in the app's
 * module and the route in the table of internal calls. @throws CannotAddError
 */
export function newCapability(edit: WorkspaceEdit, { service, name }: NewCapability): void {
  kebabName(name, 'the name of a capability');
  const app = `apps/${service}/src/app.module.ts`;
  if (!edit.has(app)) throw new CannotAddError(`there is no ${app}`);
  const folder = `apps/${service}/src/${name}`;
  if (edit.has(folder)) throw new CannotAddError(`${folder} is there already`);
  const file = `${folder}/${name}`;
  const type = pascalCase(name);
  edit.add(`${file}.controller.ts`, controllerText(name, type));
  edit.add(`${file}.service.ts`, serviceText(name, type));
  edit.add(`${file}.store.ts`, storeText(type));
  edit.add(`${file}.int.spec.ts`, specText(name, type));
  for (const role of ['controller', 'service', 'store'])
    edit.insertSorted(app, /^import .* from '\.\//, `import { ${type}${pascalCase(role)} } from './${name}/${name}.${role}';`);
  list(edit, app, `providers: [${type}Service, ${type}Store, `);
  list(edit, app, `controllers: [${type}Controller, `);
  const table = 'libs/access/src/service-token/internal-calls.ts';
  edit.replace(table, `  '${service}': [\n`, `  '${service}': [\n['GET', '/internal/${name}/:merchantId', operator],\n`);
  showInTree(edit, { service, name });
}

/** Begins the module's list with more classes, or makes the list. */
function list(edit: WorkspaceEdit, app: string, begin: string): void {
  const opening = `${begin.split('[', 1)[0]!}[`;
  if (edit.read(app).includes(opening)) edit.replace(app, opening, begin);
  else edit.replace(app, 'module: AppModule,', `module: AppModule, ${begin}],`);
}

/** The architecture page draws the folders of one service; `npm run check` compares. */
function showInTree(edit: WorkspaceEdit, { service, name }: NewCapability): void {
  const page = 'docs/explanation/architecture.md';
  const tree = new RegExp(`^apps/${service}/src/\\n(?:  .*\\n)*`, 'm').exec(edit.read(page))?.[0];
  if (tree === undefined) return;
  const last = tree.trimEnd().split('\n').at(-1)!;
  const line = `  ${`${name}/`.padEnd(21)}${name.replaceAll('-', ' ')}\n`;
  edit.insertBefore(page, new RegExp(`^${last.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`), line);
}

function controllerText(name: string, type: string): string {
  return `import { Controller, Get, Param } from '@nestjs/common';
import { ParseIdPipe } from '@paycode/service-runtime';
import { type ${type}, ${type}Service } from './${name}.service';

/** Inbound: parses, calls the service, translates its result. Its callers stand in the table of internal calls. */
@Controller('internal/${name}')
export class ${type}Controller {
  constructor(private readonly service: ${type}Service) {}

  @Get(':merchantId')
  read(@Param('merchantId', ParseIdPipe) merchantId: number): Promise<${type}> {
    return this.service.read(merchantId);
  }
}
`;
}

function serviceText(name: string, type: string): string {
  return `import { Injectable } from '@nestjs/common';
import { type ${type}, ${type}Store } from './${name}.store';

export type { ${type} };

/** The use cases, one method each. */
@Injectable()
export class ${type}Service {
  constructor(private readonly store: ${type}Store) {}

  read(merchantId: number): Promise<${type}> {
    return this.store.find(merchantId);
  }
}
`;
}

function storeText(type: string): string {
  return `import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Reads no table yet: the migration comes first. */
const find = 'select $1::int as "merchantId"';

export interface ${type} {
  merchantId: number;
}

@Injectable()
export class ${type}Store {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  async find(merchantId: number): Promise<${type}> {
    const [row] = await this.dataSource.query<[${type}]>(find, [merchantId]);
    return row;
  }
}
`;
}

function specText(name: string, type: string): string {
  return `import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { migrations } from '../../migrations';
import { ${type}Service } from './${name}.service';
import { ${type}Store } from './${name}.store';

describe('${name.replaceAll('-', ' ')}', () => {
  let database: TestDatabase;

  beforeAll(async () => (database = await createTestDatabase({ migrations })));
  afterAll(() => database.drop());

  it('are those of the merchant that was asked for', async () => {
    const service = new ${type}Service(new ${type}Store(database.dataSource));
    expect(await service.read(1001)).toEqual({ merchantId: 1001 });
  });
});
`;
}
