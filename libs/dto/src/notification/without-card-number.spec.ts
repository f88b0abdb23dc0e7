import { validateSync } from 'class-validator';
import { WithoutCardNumber } from './without-card-number';

class Body {
  @WithoutCardNumber()
  reference: unknown;
}

describe('a text of a body without a card number (R-2.5-15)', () => {
  const refusals = (reference: unknown) =>
    validateSync(Object.assign(new Body(), { reference })).map(({ constraints }) => constraints);

  it('is refused by the name of its field when it holds one', () => {
    expect(refusals('card 4111 1111 1111 1111')).toEqual([
      { withoutCardNumber: 'reference must not hold a card number. Send at most the last 4 digits of a card' },
    ]);
  });

  it.each(['order 4111', '', 4_111_111_111_111_111, null])('%j is not refused: what is no text is for other rules', reference => {
    expect(refusals(reference)).toEqual([]);
  });
});
