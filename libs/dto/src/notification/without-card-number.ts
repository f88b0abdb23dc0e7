import { ValidateBy } from 'class-validator';
import { holdsCardNumber } from './card-number';

/** Refuses a text of a body that would put a full card number into the notification (R-2.5-15). */
export const WithoutCardNumber = (): PropertyDecorator =>
  ValidateBy({
    name: 'withoutCardNumber',
    validator: {
      validate: value => typeof value !== 'string' || !holdsCardNumber(value),
      defaultMessage: () => '$property must not hold a card number',
    },
  });
