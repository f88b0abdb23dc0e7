import { maskedRecipient } from './masked-recipient';

it.each([
  ['EMAIL', 'till.north@shop.example', 't***@shop.example'],
  ['EMAIL', 'a@b@shop.example', 'a***@shop.example'],
  ['SMS', '+27820000123', '***123'],
] as const)('people on call recognise a recipient, and cannot write to it: %s %s', (type, value, masked) => {
  expect(maskedRecipient({ type, value })).toBe(masked);
});
