import { passwordProblem } from './password-rule';

const known = ['Thandi@Shop.example', 'Thandi Mokoena', 'Bo'];
const distinct = 'abcdefghij';

describe('passwords of the portal (NIST SP 800-63B)', () => {
  it.each([
    ['a'.repeat(8) + 'bcd', 'must have at least 12 characters'],
    [distinct + 'kl', undefined],
    [distinct.repeat(12) + 'klmnopqr', undefined],
    [distinct.repeat(12) + 'klmnopqrs', 'must have at most 128 characters'],
    ['abcdabcdabcd', 'must have at least 5 different characters'],
    ['abcdeabcdeab', undefined],
    ['thandi@shop.EXAMPLE', 'must not be your e-mail address or name'],
    ['thandi mokoena', 'must not be your e-mail address or name'],
    ['thandi@shop.example!', undefined],
  ])('%s: %s', (password, problem) => {
    expect(passwordProblem(password, known)).toBe(problem);
  });
});
