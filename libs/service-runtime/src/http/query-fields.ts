import { isInstant } from '@paycode/dto';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';

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
