import { CannotAddError, type WorkspaceEdit } from './workspace-edit.ts';

const kinds = ['string', 'integer', 'boolean', 'list', 'url'] as const;

export interface NewSetting {
  service: string;
  /** RETRIES_MAX */
  name: string;
  type: string;
  /** As it would stand in the environment; without one the setting is required. */
  default?: string | undefined;
  unit?: string | undefined;
  /** Bounds of an integer. */
  min?: string | undefined;
  max?: string | undefined;
  /** One sentence for the reference page. */
  says: string;
}

/** The key in the service's env.ts. The reference pages are made from it. @throws CannotAddError */
export function newSetting(edit: WorkspaceEdit, setting: NewSetting): void {
  const { service, name } = setting;
  const path = `apps/${service}/src/config/env.ts`;
  if (!edit.has(path)) throw new CannotAddError(`there is no ${path}`);
  if (!/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(name)) throw new CannotAddError('a setting is named like RETRIES_MAX');
  if (new RegExp(`^ *${name}:`, 'm').test(edit.read(path))) throw new CannotAddError(`${path} has ${name} already`);
  edit.insertBefore(path, /^\}\);$/, `${name}: { ${members(setting).join(', ')} },\n`);
}

function members({ type, default: value, unit, min, max, says }: NewSetting): string[] {
  if (!kinds.some(kind => kind === type)) throw new CannotAddError(`--type must be one of ${kinds.join(', ')}`);
  return [
    `type: '${type}'`,
    ...(unit === undefined ? [] : [`unit: ${quoted(unit)}`]),
    ...(value === undefined ? [] : [`default: ${literal(type, value)}`]),
    ...(min === undefined ? [] : [`min: ${bound(type, min)}`]),
    ...(max === undefined ? [] : [`max: ${bound(type, max)}`]),
    `description: ${quoted(says)}`,
  ];
}

function literal(type: string, value: string): string {
  if (type === 'integer' && !/^\d+$/.test(value)) throw new CannotAddError('--default must be an integer');
  if (type === 'boolean' && !/^(true|false)$/.test(value)) throw new CannotAddError('--default must be true or false');
  if (type === 'list') return JSON.stringify(value.split(',').filter(item => item !== ''));
  return type === 'integer' || type === 'boolean' ? value : quoted(value);
}

function bound(type: string, value: string): string {
  if (type !== 'integer' || !/^\d+$/.test(value)) throw new CannotAddError('--min and --max are integers, of an integer');
  return value;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
