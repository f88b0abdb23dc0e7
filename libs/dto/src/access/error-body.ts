/** Body of every error answer (decision "Error body"). `message` carries the literals of spec 7 verbatim. */
export interface ErrorBody {
  /** ISO 8601 UTC. */
  timestamp: string;
  status: number;
  /** Reason phrase, e.g. `Bad Request`. */
  error: string;
  message: string;
  path: string;
  requestId: string;
  /** Validation problems, one per field and rule. */
  errors?: FieldError[];
}

export interface FieldError {
  field: string;
  message: string;
}
