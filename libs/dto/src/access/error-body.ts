/** Body of every error answer (decision "Error body"). */
export interface ErrorBody {
  /** ISO 8601 UTC. */
  timestamp: string;
  status: number;
  /** Reason phrase, e.g. `Bad Request`. */
  error: string;
  /** Message for people: the literals of the specification, verbatim. */
  message: string;
  /** Stable name for programs, from the error catalogue. A client treats an unknown one by the status alone. */
  code: string;
  /** Path of the request, without its query. */
  path: string;
  /** Also in the header `X-Request-Id`; support asks for it. */
  requestId: string;
  /** Validation problems, one per field and rule. */
  errors?: FieldError[];
}

export interface FieldError {
  field: string;
  message: string;
}
