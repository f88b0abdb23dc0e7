import { IsInt, Max, Min, ValidateBy, type ValidationOptions } from 'class-validator';

/** Ids of merchants, transactions and other records are integers in [1, 2^53), which a JavaScript number holds exactly. */
export const idRule = 'must be an integer in [1, 2^53)';
const idForm = /^[1-9]\d{0,15}$/;

/** Whether a JSON value is an id. */
export function isIdNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

/** The id in a text of a path or a query; undefined: the text is no id. */
export function idOf(text: string): number | undefined {
  const id = idForm.test(text) ? Number(text) : undefined;
  return isIdNumber(id) ? id : undefined;
}

/** A field of a body that is an id; with `each`, a list of ids. */
export function IsId(options?: Pick<ValidationOptions, 'each'>): PropertyDecorator {
  const rules = [IsInt(options), Min(1, options), Max(Number.MAX_SAFE_INTEGER, options)];
  return (target, field) => rules.forEach(rule => rule(target, field));
}

/** A field of a query that is an id; `idOf` reads it. */
export function IsIdText(): PropertyDecorator {
  const validate = (value: unknown): boolean => typeof value === 'string' && idOf(value) !== undefined;
  return ValidateBy({ name: 'isIdText', validator: { validate, defaultMessage: () => `$property ${idRule}` } });
}
