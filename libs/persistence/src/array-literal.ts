/** Text that needs no quotes inside a PostgreSQL array. */
const bare = /^[A-Za-z0-9_.:+-]+$/;

/**
 * PostgreSQL array literal of numbers and booleans. `pg` would turn each element into text and escape it on its own, which costs more than
 * the rest of a batched insert; these need no escaping.
 */
export function scalars(values: readonly (number | boolean | null)[]): string {
  return `{${values.map(value => (value === null ? 'null' : value)).join(',')}}`;
}

/** PostgreSQL array literal of texts; those made of letters, digits and `_ . : + -` alone (ids, codes, instants, sealed texts) go in as they are. */
export function texts(values: readonly (string | null)[]): string {
  return `{${values.map(element).join(',')}}`;
}

/** PostgreSQL array literal of instants. */
export function instants(values: readonly (Date | null)[]): string {
  return texts(values.map(value => value && value.toISOString()));
}

/**
 * SQL for an array parameter whose length the planner does not see, so that a plan for few items cannot look cheaper than the kept one of a
 * prepared statement, which expects ten, and be made again each time (ADR 0107). `parameter`: with its type, `$1::bigint[]`.
 */
export function unseenLength(parameter: string): string {
  return `(select ${parameter})`;
}

function element(value: string | null): string {
  if (value === null) return 'null';
  // PostgreSQL would read the unquoted word null as NULL.
  if (bare.test(value) && value.toLowerCase() !== 'null') return value;
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
