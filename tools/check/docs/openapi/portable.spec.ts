import { portable } from './portable.ts';

const schemaOf = (schema: object) => ({ components: { schemas: { Thing: schema } } });
const madeOf = (schema: object) => (portable(schemaOf(schema)) as ReturnType<typeof schemaOf>).components.schemas.Thing;

describe('documents that other languages read', () => {
  it.each([
    ['an id', { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }],
    ['an integer without bound', { type: 'integer' }],
    ['an integer or null', { type: ['integer', 'null'] }],
  ])('%s has 64 bits', (_, schema) => {
    expect(madeOf(schema)).toEqual({ ...schema, format: 'int64' });
  });

  it('an integer of 32 bits, and a property that is called type, stay as they are', () => {
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
});
