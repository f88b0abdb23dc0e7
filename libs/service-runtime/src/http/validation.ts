import { type ArgumentMetadata, BadRequestException, Injectable, type PipeTransform, ValidationPipe } from '@nestjs/common';
import { type FieldError, idOf, idRule, isInstant } from '@paycode/dto';
import { Transform } from 'class-transformer';
import { getMetadataStorage, ValidateBy, type ValidationError } from 'class-validator';
import { invalidField } from '../domain-error';

/** Rules about the type of a value. When one of them fails, rules about size or form are not reported. */
const typeRules = ['isDefined', 'isNotEmpty', 'isInt', 'isNumber', 'isString', 'isBoolean', 'isArray', 'isObject', 'isEnum'];

/** Flattens nested class-validator errors to `field.path` + rule, the type rule alone when it fails. Values are never echoed. */
function fieldErrors(errors: readonly ValidationError[], prefix = ''): FieldError[] {
  return errors.flatMap(error => {
    const field = prefix + error.property;
    const own = messagesOf(error.constraints ?? {}).map(message => ({ field, message }));
    // Problems inside an array are not reported when the field must be an object.
    const isOfType = typeRuleOf(error.constraints ?? {}) === undefined;
    return [...own, ...(isOfType ? fieldErrors(error.children ?? [], `${field}.`) : [])];
  });
}

function messagesOf(constraints: Record<string, string>): string[] {
  const type = typeRuleOf(constraints);
  return type ? [constraints[type]!] : Object.values(constraints);
}

function typeRuleOf(constraints: Record<string, string>): string | undefined {
  return typeRules.find(rule => rule in constraints);
}

/** Body and query validation: strict types, unknown fields ignored, every problem named. */
export function validationPipe(): ValidationPipe {
  return new ObjectValidationPipe({
    transform: true,
    whitelist: true,
    transformOptions: { enableImplicitConversion: false },
    validationError: { target: false, value: false },
    exceptionFactory: errors => {
      const problems = fieldErrors(errors);
      return new BadRequestException({ message: problems[0]?.message ?? 'invalid request', errors: problems });
    },
  });
}

const untyped: readonly unknown[] = [Object, Array, String, Number, Boolean];

/**
 * Requires that a body described by a class is an object; for an array or a text, class-validator would check nothing. A number in a path stays
 * text for the pipe that reads it, because Nest would make numbers of `01` and `1e3`. A known parameter of a query with brackets is refused:
 * `from[]=` would count as unknown and be ignored, and the answer would hold more than was asked for.
 */
class ObjectValidationPipe extends ValidationPipe {
  override transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.type === 'param' && metadata.metatype === Number) return Promise.resolve(value);
    const isObject = typeof value === 'object' && !Array.isArray(value);
    if (isDescribed(metadata) && value !== undefined && !isObject) throw invalidField('body', 'must be an object');
    refuseBrackets(value, metadata);
    return super.transform(value, metadata) as Promise<unknown>;
  }
}

function isDescribed({ type, metatype }: ArgumentMetadata): boolean {
  return type === 'body' && metatype !== undefined && !untyped.includes(metatype);
}

/** @throws DomainError 400 that names the parameter of the query */
function refuseBrackets(query: unknown, { type, metatype }: ArgumentMetadata): void {
  if (type !== 'query' || !metatype || typeof query !== 'object' || query === null) return;
  const bracketed = Object.keys(query).flatMap(name => /^([^[]+)\[/.exec(name)?.[1] ?? []);
  if (bracketed.length === 0) return;
  const rules = getMetadataStorage().getTargetValidationMetadatas(metatype, '', false, false);
  const known = bracketed.find(name => rules.some(({ propertyName }) => propertyName === name));
  if (known !== undefined) throw invalidField(known, 'must be a text, without brackets behind its name');
}

const digitsForm = /^(0|[1-9]\d{0,15})$/;

/** A field of a query that is an integer. `12` becomes a number; any other text, such as `1e3`, stays text, which `IsInt` refuses. */
export function FromDigits(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && digitsForm.test(value) ? Number(value) : value,
  );
}

/** ISO 8601 has many forms of an instant. This one is taken, and a field with any other names this rule. */
const instantRule = 'must be an instant in UTC that exists, such as 2026-01-31T10:00:00Z, with 0 to 9 decimals';

/**
 * A field that is an instant. Decimals after the milliseconds are cut off, because the records have milliseconds: a client that asks from
 * the instant of its own record, which may have nine decimals, must not miss the record here.
 */
export function IsInstantText(): PropertyDecorator {
  const read = Transform(({ value }: { value: unknown }) => (isInstant(value) ? value.replace(/(\.\d{3})\d+Z$/, '$1Z') : value));
  // PostgreSQL takes no year 0.
  const validate = (value: unknown): boolean => isInstant(value) && !value.startsWith('0000');
  const rule = ValidateBy({ name: 'isInstantText', validator: { validate, defaultMessage: () => `$property ${instantRule}` } });
  return (target, field) => [read, rule].forEach(decorate => decorate(target, field));
}

/** `@Param('merchantId', ParseIdPipe) merchantId: number`: an id in a path. */
@Injectable()
export class ParseIdPipe implements PipeTransform<string, number> {
  /** @throws DomainError 400 that names the parameter */
  transform(text: string, { data = 'id' }: ArgumentMetadata): number {
    const id = idOf(text);
    if (id === undefined) throw invalidField(data, idRule);
    return id;
  }
}
