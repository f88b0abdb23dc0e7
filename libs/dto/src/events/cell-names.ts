/** Names of cells, and of the groups and event sources by which cells differ (P-1.12). Tools load this without a build. */
export const cellNameForm = /^[a-z][a-z0-9-]{0,30}$/;
export const cellNameRule = 'must be 1 to 31 small letters, digits and hyphens, the first one a letter';

/** How each name of a cell begins: `webhook-dispatcher@` of `webhook-dispatcher@b`. No name without a cell has the sign. */
export function beforeCell(name: string): string {
  return `${name}@`;
}

/** Whether `candidate` is the group, or the source, that a cell has for `name`. */
export function isOfCell(candidate: string, name: string): boolean {
  const start = beforeCell(name);
  return candidate.startsWith(start) && cellNameForm.test(candidate.slice(start.length));
}
