import { ValidateBy } from 'class-validator';
import { cardNumberAdvice, type FieldUse, holdsCardNumber } from './card-number';

/** Refuses a text of a body that would put a full card number into the notification (R-2.5-15). */
export const WithoutCardNumber = (use: FieldUse = 'text'): PropertyDecorator =>
  ValidateBy({
    name: 'withoutCardNumber',
    validator: {
      validate: value => typeof value !== 'string' || !holdsCardNumber(value, use),
      defaultMessage: () => `$property must not hold a card number. ${cardNumberAdvice[use]}`,
    },
  });
