/** Ids of Svix's messages as numbers: everything here knows payments by numbers, and receivers see nothing else of Svix that tells two apart. */

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** So many fit into a number exactly. */
const lastDigits = /[0-9A-Za-z]{8}$/;

/**
 * Of an id such as `msg_1srOrx2ZWZBpBUvZwXKQmoEYga2`: its last digits, which Svix draws by chance. Two of 100,000 share them once in some
 * 40,000 runs, and the audit then finds one of them twice.
 * @throws when it does not end in them
 */
export function numberOfMessage(id: string): number {
  const last = lastDigits.exec(id)?.[0];
  if (!last) throw new Error(`not an id of a message of Svix: ${id}`);
  return [...last].reduce((number, digit) => number * digits.length + digits.indexOf(digit), 0);
}
