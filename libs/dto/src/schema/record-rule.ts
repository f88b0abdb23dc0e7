import { isRecord, type JsonSchema, type ParseResult, type Rule } from './rule';

type Fields<T> = { readonly [K in keyof T]-?: Rule<T[K]> };

interface RecordOptions<T> {
  title: string;
  description: string;
  /** In the order in which the fields are written. */
  fields: Fields<T>;
  /** A rule across fields: null or the complaint, without values. */
  across?: (value: T) => string | null;
}

/** An object with known fields. Unknown members are ignored and dropped, so that a newer producer may add some. */
export class RecordRule<T extends object> implements Rule<T> {
  readonly schema: JsonSchema;
  private readonly fields: readonly (readonly [string, Rule<unknown>])[];

  constructor(private readonly options: RecordOptions<T>) {
    this.fields = Object.entries(options.fields as Record<string, Rule<unknown>>);
    this.schema = {
      title: options.title,
      description: options.description,
      type: 'object',
      required: this.fields.filter(([, field]) => !field.isOptional).map(([name]) => name),
      properties: Object.fromEntries(this.fields.map(([name, field]) => [name, field.schema])),
    };
  }

  problem(value: unknown, path: string): string | null {
    if (!isRecord(value)) return `${path || 'data'}: must be an object`;
    const prefix = path === '' ? '' : `${path}.`;
    return this.fieldProblem(value, prefix) ?? this.acrossProblem(value, prefix);
  }

  read(value: unknown): T {
    const known: Record<string, unknown> = {};
    for (const [name, field] of this.fields) {
      const read = field.read((value as Record<string, unknown>)[name]);
      if (read !== undefined) known[name] = read;
    }
    return known as T;
  }

  private fieldProblem(value: Record<string, unknown>, prefix: string): string | null {
    for (const [name, field] of this.fields) {
      const problem = field.problem(value[name], prefix + name);
      if (problem !== null) return problem;
    }
    return null;
  }

  private acrossProblem(value: Record<string, unknown>, prefix: string): string | null {
    const complaint = this.options.across?.(value as T) ?? null;
    return complaint === null ? null : prefix + complaint;
  }

  /** The value, or why not. The reason carries no payload data. */
  parse(value: unknown): ParseResult<T> {
    const reason = this.problem(value, '');
    return reason === null ? { ok: true, value: this.read(value) } : { ok: false, reason };
  }
}
