import { CannotAddError } from './workspace-edit.ts';

const kebabCase = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** `opening-hours`. @throws CannotAddError */
export function kebabName(name: string | undefined, what: string): string {
  if (name === undefined || !kebabCase.test(name)) throw new CannotAddError(`${what} must be in kebab-case: opening-hours`);
  return name;
}

/** `OpeningHours` of `opening-hours`. */
export function pascalCase(name: string): string {
  return name.replace(/(^|-)([a-z0-9])/g, (_, __, letter: string) => letter.toUpperCase());
}

/** `openingHours` of `opening-hours`. */
export function camelCase(name: string): string {
  return name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
