import ts from 'typescript';
import { operationOf } from './operation.ts';
import { routesIn, type Route } from './routes.ts';
import { TypeSchemas } from './type-schema.ts';

const framework = `
  declare function Controller(path?: string): ClassDecorator; declare function Get(path?: string): MethodDecorator;
  declare function Post(path?: string): MethodDecorator; declare function HttpCode(code: number): MethodDecorator;
  declare function Body(): ParameterDecorator; declare function Query(): ParameterDecorator;
  declare function Param(name: string): ParameterDecorator;
  declare function IsInt(options?: object): PropertyDecorator; declare function Min(min: number, options?: object): PropertyDecorator;
  declare function Length(min: number, max: number): PropertyDecorator; declare function IsOptional(): PropertyDecorator;
  declare function Matches(pattern: RegExp): PropertyDecorator; declare function ArrayMaxSize(max: number): PropertyDecorator;
`;

const callersOf = (method: string, path: string) =>
  `${method} ${path}` === 'GET /internal/items/:itemId' ? ['a', 'b'] : ['operator'];

function read(source: string): { routes: Route[]; components: Record<string, unknown> } {
  const text = framework + source;
  const host = ts.createCompilerHost({});
  const original = host.getSourceFile.bind(host);
  host.getSourceFile = (name, version) => (name === 'x.ts' ? ts.createSourceFile(name, text, version) : original(name, version));
  const program = ts.createProgram(
    ['x.ts'],
    { strict: true, target: ts.ScriptTarget.ES2022, types: [], experimentalDecorators: true },
    host,
  );
  const checker = program.getTypeChecker();
  const schemas = new TypeSchemas(checker);
  return {
    routes: routesIn(program.getSourceFile('x.ts')!, { checker, schemas, keep: () => true, callersOf }),
    components: schemas.components,
  };
}

describe('routes of controllers', () => {
  const source = `
    const idMax = 99; const ten = /^[0-9]{10}$/;
    /** One item. */ interface Item { id: number; kind: 'A' | 'B'; note: string | null; next?: Item; at: \`TIMEOUT_\${string}\` }
    class Ask {
      /** Whose. */ @IsInt() @Min(1) merchantId!: number;
      @IsOptional() @Length(1, 45) name?: string;
      @Matches(ten) code!: string;
      @ArrayMaxSize(5) @IsInt({ each: true }) @Min(idMax, { each: true }) numbers!: number[];
    }
    /** All of them. */
    @Controller('internal/items')
    class ItemsController {
      /** Makes one. */ @Post() make(@Body() body: Ask): Promise<Item[]> { throw body; }
      @Get(':itemId') one(@Param('itemId') itemId: string): Promise<object> { throw itemId; }
      @Post('gone') @HttpCode(204) async gone(): Promise<void> {}
      @Get() find(@Query() query: Ask): boolean | null { throw query; }
      helper(): void {}
    }`;
  const { routes, components } = read(source);
  const byName = Object.fromEntries(routes.map(route => [route.operationId, route]));

  it('every decorated method is a route, with method, path, status, callers and words', () => {
    expect(routes.map(({ method, path, status }) => `${method} ${path} ${status}`)).toEqual([
      'post /internal/items 201',
      'get /internal/items/{itemId} 200',
      'post /internal/items/gone 204',
      'get /internal/items 200',
    ]);
    expect(byName['Items.make']).toMatchObject({ summary: 'Makes one.', callers: ['operator'], hasBody: true });
    expect(byName['Items.one']).toMatchObject({ summary: 'All of them.', callers: ['a', 'b'], pathParameters: ['itemId'] });
  });

  it('answers: a type gives a schema, void gives no content, `object` says nothing', () => {
    expect(byName['Items.make']!.response).toEqual({ type: 'array', items: { $ref: '#/components/schemas/Item' } });
    expect(byName['Items.gone']!.response).toBeNull();
    expect(byName['Items.one']!.response).toBeUndefined();
    expect(byName['Items.find']!.response).toEqual({ type: ['boolean', 'null'] });
  });

  it('interfaces become components, also when they contain themselves', () => {
    expect(components['Item']).toEqual({
      description: 'One item.',
      type: 'object',
      required: ['id', 'kind', 'note', 'at'],
      properties: {
        id: { type: 'integer' },
        kind: { type: 'string', enum: ['A', 'B'] },
        note: { type: ['string', 'null'] },
        next: { $ref: '#/components/schemas/Item' },
        at: { type: 'string', pattern: '^TIMEOUT_.*$' },
      },
    });
  });

  it('class-validator decorators refine the properties, those of list items the items', () => {
    expect(components['Ask']).toEqual({
      type: 'object',
      required: ['merchantId', 'code', 'numbers'],
      properties: {
        merchantId: { description: 'Whose.', type: 'integer', minimum: 1 },
        name: { type: ['string', 'null'], minLength: 1, maxLength: 45 },
        code: { type: 'string', pattern: '^[0-9]{10}$' },
        numbers: { type: 'array', items: { type: 'integer', minimum: 99 }, maxItems: 5 },
      },
    });
  });

  it('two types of one name in one document are refused', () => {
    const twice = `namespace one { export interface Thing { a: string } } namespace two { export interface Thing { b: string } }
      @Controller() class ThingsController { @Get() get(): { x: one.Thing; y: two.Thing } { throw 1; } }`;
    expect(() => read(twice)).toThrow('two types of one document are called Thing');
  });
});

describe('operations', () => {
  const route = read(
    `@Controller('pluto/code') class CodesController { @Post(':code') pay(@Body() body: { a: string }): { b: string } { throw body; } }`,
  ).routes[0]!;

  it('a public operation names the errors every caller must expect, with their exact messages', () => {
    const { responses } = operationOf(route, { errors: { 404: ['Not Found'] } }) as {
      responses: Record<string, { description: string }>;
    };
    expect(Object.keys(responses)).toEqual(['201', '400', '401', '403', '404', '413', '415', '429', '503']);
    expect(responses['401']!.description).toContain('JWT Authentication disabled for this account');
  });

  it('an open operation asks for no credentials and answers neither 401 nor 403', () => {
    const operation = operationOf(route, { isOpen: true }) as { security: unknown; responses: object };
    expect(operation.security).toEqual([]);
    expect(operation.responses).not.toHaveProperty('401');
  });
});
