import { openApi30, portable, withDecimals, withoutIds, withOpenLists } from './portable.ts';

const schemaOf = (schema: object) => ({ components: { schemas: { Thing: schema } } });
const madeOf = (schema: object) => (portable(schemaOf(schema)) as ReturnType<typeof schemaOf>).components.schemas.Thing;

describe('documents that other languages read', () => {
  it('an integer that may pass 32 bits has 64, a smaller one and a property that is called type stay as they are', () => {
    const id = { type: ['integer', 'null'], minimum: 1 };
    expect(madeOf(id)).toEqual({ ...id, format: 'int64' });
    const small = { type: 'object', properties: { type: { type: 'integer', maximum: 10 } } };
    expect(madeOf(small)).toEqual(small);
  });

  it('a constant has a type, which Python and TypeScript generators demand; examples are left alone', () => {
    expect(madeOf({ const: 'TEST', example: { const: 1 } })).toEqual({ type: 'string', const: 'TEST', example: { const: 1 } });
  });

  it.each(['^(?!x)', '^(?<=x)', '[^]', '(a)\\1'])('the pattern %s is refused, with its place', pattern => {
    expect(() => madeOf({ properties: { a: { pattern } } })).toThrow(
      'Thing.properties.a: other languages cannot read the pattern',
    );
  });

  it('an amount has 64 bits, because Go reads 32 otherwise; the copy for languages with decimals says decimal', () => {
    const amount = { type: ['number', 'null'], exclusiveMinimum: 0 };
    expect(madeOf(amount)).toEqual({ ...amount, format: 'double' });
    expect(withDecimals(madeOf(amount) as Record<string, unknown>)).toMatchObject({ ...amount, format: 'decimal' });
  });

  it('a list of texts that may grow is a plain string, whose known values are told; a constant stays', () => {
    const list = { type: 'string', enum: ['A', 'B'] };
    const known = { description: 'Known values: `A`, `B`. Others may come.', 'x-extensible-enum': ['A', 'B'] };
    const open = { anyOf: [list, { type: 'string', pattern: '^C' }] };
    const orNull = { anyOf: [list, { type: 'null' }] };
    expect(withOpenLists({ open, orNull })).toEqual({
      open: { type: 'string', ...known },
      orNull: { type: ['string', 'null'], ...known },
    });
    expect(withOpenLists({ type: 'string', const: 'A', enum: ['A'] })).toEqual({ type: 'string', const: 'A', enum: ['A'] });
  });

  it('public words say no id of ours', () => {
    expect(withoutIds({ description: 'Shows a key (R-2.4-5, A-57).', example: '(R-1)' })).toEqual({
      description: 'Shows a key.',
      example: '(R-1)',
    });
    expect(() => withoutIds({ a: { summary: 'As R-1-1 says' } })).toThrow('an id of ours: As R-1-1 says');
  });

  it('the copy in OpenAPI 3.0 says null, bounds, constants and words beside a reference as 3.0 does', () => {
    const thing = {
      properties: {
        type: { type: ['string', 'null'], contentMediaType: 'image/png' },
        amount: { type: 'number', exclusiveMinimum: 0 },
        one: { type: 'string', const: 'A' },
        other: { $ref: '#/components/schemas/Thing', description: 'The other.' },
        none: { anyOf: [{ $ref: '#/components/schemas/Thing' }, { type: 'null' }] },
        mode: { anyOf: [{ type: 'string', enum: ['A'] }, { type: 'null' }] },
      },
    };
    const info = { title: 'Paycode', license: { name: 'Own', identifier: 'LicenseRef-Own' } };
    expect(openApi30({ openapi: '3.1.0', info, ...schemaOf(thing) })).toEqual({
      openapi: '3.0.3',
      info: { title: 'Paycode', license: { name: 'Own' } },
      ...schemaOf({
        properties: {
          type: { type: 'string', nullable: true },
          amount: { type: 'number', minimum: 0, exclusiveMinimum: true },
          one: { type: 'string', enum: ['A'] },
          other: { allOf: [{ $ref: '#/components/schemas/Thing' }], description: 'The other.' },
          none: { type: 'object', allOf: [{ $ref: '#/components/schemas/Thing' }], nullable: true },
          mode: { type: 'string', enum: ['A'], nullable: true },
        },
      }),
    });
  });
});
