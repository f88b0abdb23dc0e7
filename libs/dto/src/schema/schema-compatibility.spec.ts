import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { publishedContracts } from '../published-contracts';
import type { JsonSchema } from './contract';
import { breakingChanges } from './schema-compatibility';

const folder = join(__dirname, '../../contracts');
const published = (name: string): JsonSchema =>
  JSON.parse(readFileSync(join(folder, `${name}.schema.json`), 'utf8')) as JsonSchema;

describe('published contracts (libs/dto/contracts)', () => {
  it.each(Object.entries(publishedContracts()))(
    '%s: no field is removed or narrowed, and what was added is published',
    (name, schema) => {
      expect(breakingChanges(published(name), schema)).toEqual([]);
      expect(breakingChanges(schema, published(name))).toEqual([]);
    },
  );

  it('are those of the registry, all of them and no other', () => {
    const files = Object.keys(publishedContracts()).map(name => `${name}.schema.json`);
    expect(readdirSync(folder).sort()).toEqual(files.sort());
  });
});

describe('breaking changes', () => {
  const before = {
    type: 'object',
    required: ['a', 'b'],
    properties: { a: { type: 'string', maxLength: 9 }, b: { enum: ['X', 'Y'] }, c: { type: 'integer', minimum: 1 } },
  };
  const withChange = (change: object): JsonSchema => ({ ...before, ...change });
  const withField = (name: string, schema: object): JsonSchema =>
    withChange({ properties: { ...before.properties, [name]: schema } });

  it('more optional fields, longer texts, wider ranges and more values break nothing', () => {
    expect(breakingChanges(before, before)).toEqual([]);
    expect(breakingChanges(before, withField('d', { type: 'string' }))).toEqual([]);
    expect(breakingChanges(before, withField('a', { type: 'string', maxLength: 10, description: 'new words' }))).toEqual([]);
    expect(breakingChanges(before, withField('a', { type: 'string' }))).toEqual([]);
    expect(breakingChanges(before, withField('b', { enum: ['X', 'Y', 'Z'] }))).toEqual([]);
    expect(breakingChanges(before, withField('b', {}))).toEqual([]);
    expect(breakingChanges(before, withField('c', { type: 'integer', minimum: 0 }))).toEqual([]);
  });

  it.each([
    ['a removed field', withChange({ properties: { a: before.properties.a, b: before.properties.b } }), '$.c was removed'],
    ['a field that became optional', withChange({ required: ['a'] }), '$.b is no longer promised'],
    ['a field that became required', withChange({ required: ['a', 'b', 'c'] }), '$.c became required'],
    ['a shorter text', withField('a', { type: 'string', maxLength: 8 }), '$.a: maxLength was narrowed'],
    ['a new lower bound', withField('a', { type: 'string', maxLength: 9, minLength: 1 }), '$.a: minLength was narrowed'],
    ['a higher minimum', withField('c', { type: 'integer', minimum: 2 }), '$.c: minimum was narrowed'],
    ['a new pattern', withField('a', { type: 'string', maxLength: 9, pattern: '^x' }), '$.a: pattern changed'],
    ['another type', withField('c', { type: 'string', minimum: 1 }), '$.c: type changed'],
    ['a first upper bound', withField('c', { type: 'integer', minimum: 1, maximum: 5 }), '$.c: maximum was narrowed'],
    ['a removed value', withField('b', { enum: ['X'] }), '$.b: value Y was removed'],
    [
      'a new list of values',
      withField('a', { type: 'string', maxLength: 9, enum: ['x'] }),
      '$.a: was narrowed to a list of values',
    ],
  ])('%s is reported', (_, after, complaint) => {
    expect(breakingChanges(before, after)).toEqual([complaint]);
  });

  it('every removed field, and every field no longer required, is reported, even if none is left', () => {
    expect(breakingChanges(before, { type: 'object' })).toEqual([
      '$.a was removed',
      '$.b was removed',
      '$.c was removed',
      '$.a is no longer promised',
      '$.b is no longer promised',
    ]);
  });
});
