import fc from 'fast-check';
import type { Schema } from './operations.ts';

/** Values that exist on the platform under test, by the name of the field or parameter. */
export type KnownValues = Record<string, unknown[]>;

interface Place {
  name: string;
  known: KnownValues;
}

const depthMax = 6;
const lengthMax = 60;

/** Values that a schema allows; what exists on the platform is preferred, so that a call reaches more than "not found". */
export function validValue(schema: Schema, { name, known }: Place, depth = 0): fc.Arbitrary<unknown> {
  const made = madeFrom(schema, { name, known }, depth);
  const existing = known[name];
  if (!existing || existing.length === 0) return made;
  return fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...existing) }, { weight: 1, arbitrary: made });
}

function madeFrom(schema: Schema, place: Place, depth: number): fc.Arbitrary<unknown> {
  if (depth > depthMax) return fc.constant(null);
  if ('const' in schema) return fc.constant(schema['const']);
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]));
  const choices = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined;
  if (choices) return fc.oneof(...choices.map(choice => madeFrom(choice, place, depth)));
  const types = [schema['type'] ?? 'object'].flat() as string[];
  return fc.oneof(...types.map(type => ofType(type, schema, { place, depth })));
}

interface Inside {
  place: Place;
  depth: number;
}

const generators: Record<string, (schema: Schema, inside: Inside) => fc.Arbitrary<unknown>> = {
  string: text,
  integer: schema => fc.oneof(integer(schema, 1_000_000), integer(schema, Number.MAX_SAFE_INTEGER)),
  number: () => fc.integer({ min: 1, max: 1_000_000 }).map(cents => cents / 100),
  boolean: () => fc.boolean(),
  null: () => fc.constant(null),
  array,
  object,
};

function ofType(type: string, schema: Schema, inside: Inside): fc.Arbitrary<unknown> {
  const generator = generators[type];
  if (!generator) throw new Error(`no values can be made of type ${type}`);
  return generator(schema, inside);
}

function array(schema: Schema, { place, depth }: Inside): fc.Arbitrary<unknown> {
  const minLength = Number(schema['minItems'] ?? 0);
  const maxLength = Math.min(Number(schema['maxItems'] ?? 3), 3);
  return fc.array(validValue((schema['items'] ?? {}) as Schema, place, depth + 1), { minLength, maxLength });
}

function integer(schema: Schema, most: number): fc.Arbitrary<number> {
  const min = Number(schema['minimum'] ?? 0);
  return fc.integer({ min, max: Math.max(min, Math.min(Number(schema['maximum'] ?? most), most)) });
}

function text(schema: Schema): fc.Arbitrary<string> {
  const [minLength, most] = [Number(schema['minLength'] ?? 0), Number(schema['maxLength'] ?? lengthMax)];
  if (typeof schema['pattern'] === 'string')
    return fc.stringMatching(new RegExp(schema['pattern'], 'u')).filter(made => made.length >= minLength && made.length <= most);
  if (schema['format'] === 'date-time') return fc.date({ noInvalidDate: true }).map(date => date.toISOString());
  if (schema['format'] === 'uuid') return fc.uuid();
  const maxLength = Math.max(minLength, Math.min(most, lengthMax));
  return fc.string({ unit: fc.constantFrom(...'abcXYZ019-_ é漢'), minLength, maxLength });
}

function object(schema: Schema, { place, depth }: Inside): fc.Arbitrary<unknown> {
  const properties = (schema['properties'] ?? {}) as Record<string, Schema>;
  const required = (schema['required'] ?? []) as string[];
  const model = Object.fromEntries(
    Object.entries(properties).map(([name, inner]) => [name, validValue(inner, { ...place, name }, depth + 1)]),
  );
  return fc.record(model, { requiredKeys: required.filter(name => name in model) });
}
