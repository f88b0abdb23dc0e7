type Schema = Record<string, unknown>;

/**
 * Components of the code, with what the notes add to them: words, formats and bounds that no type says, and components of their own.
 * @throws Error when the notes speak of a property that the type has not
 */
export function overlaid(ofCode: Record<string, Schema>, ofNotes: Record<string, Schema>): Record<string, Schema> {
  const named = Object.entries(ofNotes).map(([name, said]): [string, Schema] => [
    name,
    ofCode[name] ? withSaid(ofCode[name], said, name) : said,
  ]);
  return { ...ofCode, ...Object.fromEntries(named) };
}

function withSaid(schema: Schema, { properties: said = {}, ...rest }: Schema, name: string): Schema {
  const properties = { ...(schema['properties'] as Record<string, Schema>) };
  for (const [property, words] of Object.entries(said as Record<string, Schema>)) {
    if (!properties[property]) throw new Error(`the notes speak of ${name}.${property}, which its type has not`);
    properties[property] = { ...properties[property], ...words };
  }
  return { ...schema, ...rest, properties };
}

/** The components that the rest of the document needs, directly or through others: notes may describe an answer better than its type. */
export function referenced(components: Record<string, Schema>, rest: unknown): Record<string, Schema> {
  const needed = new Set<string>();
  const visit = (node: unknown): void => {
    for (const [, name] of JSON.stringify(node).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (needed.has(name!)) continue;
      needed.add(name!);
      visit(components[name!] ?? {});
    }
  };
  visit(rest);
  return Object.fromEntries(Object.entries(components).filter(([name]) => needed.has(name)));
}
