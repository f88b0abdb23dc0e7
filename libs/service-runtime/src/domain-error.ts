import type { FieldError } from '@paycode/dto';

export interface DomainErrorOptions {
  /** HTTP status the edge answers with. */
  status: number;
  /** Text for the caller; literals of spec 7 go here verbatim. Never carries a secret or another tenant's data. */
  message: string;
  /** Stable, for logs and metrics, e.g. `MERCHANT_NOT_ACTIVE`. Callers see another name, the `code` of the error body, which is found from status and message. */
  reason: string;
  errors?: FieldError[];
  headers?: Record<string, string>;
  cause?: unknown;
}

/** A refusal by the domain with a stable reason; one filter turns it into the error body. */
export class DomainError extends Error {
  readonly reason: string;
  readonly status: number;
  readonly errors?: FieldError[];
  readonly headers: Record<string, string>;

  constructor(options: DomainErrorOptions) {
    super(options.message, { cause: options.cause });
    this.name = 'DomainError';
    this.reason = options.reason;
    this.status = options.status;
    this.errors = options.errors;
    this.headers = options.headers ?? {};
  }
}

/** 400 with one field problem: the error names the field and the rule. */
export function invalidField(field: string, rule: string): DomainError {
  return new DomainError({
    status: 400,
    reason: 'INVALID_FIELD',
    message: `${field} ${rule}`,
    errors: [{ field, message: rule }],
  });
}
