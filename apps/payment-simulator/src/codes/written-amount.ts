import { ExactNumber, parseExactJson } from '@paycode/dto';
import { ValidateBy } from 'class-validator';

/** An amount in a body: a JSON number, or the decimal as a text, for clients whose numbers are binary floats. Its form is checked later. */
export function IsAmount(): PropertyDecorator {
  return ValidateBy({
    name: 'isAmount',
    validator: {
      validate: value => typeof value === 'number' || typeof value === 'string',
      defaultMessage: () => '$property must be a JSON number, or a decimal as text such as "25.50"',
    },
  });
}

/** The amount as the client wrote it; validation has checked its type. A float may have lost digits of a number, so the body is read again. */
export function writtenAmount(value: unknown, field: string, rawBody = '{}'): string | null {
  if (typeof value !== 'number') return typeof value === 'string' ? value : null;
  const { [field]: number } = parseExactJson(rawBody, new Set([field])) as Record<string, unknown>;
  return number instanceof ExactNumber ? number.digits : null;
}
