import { english } from './english';
import type { Messages } from './messages';
import { spanish } from './spanish';

/** The one catalogue: a further language is a file beside these, and a name here. */
export const catalogue = { en: english, es: spanish } as const satisfies Record<string, Messages>;
export type Language = keyof typeof catalogue;
export const languages = Object.keys(catalogue) as Language[];

/** `text` with its places `{name}` filled. */
export function filled(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));
}
