const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text that is safe inside HTML text and quoted attributes. */
export class Html {
  constructor(readonly text: string) {}
}

type HtmlValue = Html | string | number | null | undefined | HtmlValue[];

/** Template tag: every value is escaped unless it is Html itself; lists are joined. */
export function html(parts: TemplateStringsArray, ...values: HtmlValue[]): Html {
  return new Html(parts.reduce((text, part, at) => text + textOf(values[at - 1]) + part));
}

function textOf(value: HtmlValue): string {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(textOf).join('');
  return String(value ?? '').replace(/[&<>"']/g, character => entities[character]!);
}
