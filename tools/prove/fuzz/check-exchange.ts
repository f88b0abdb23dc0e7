import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Kind } from './fuzz-case.ts';
import type { Operation, Schema } from './operations.ts';
import type { Exchange, RawAnswer } from './raw-client.ts';

/**
 * Statuses of the edge instead of the operation: the request is unreadable, too large, too slow, or names another resource. They are
 * permitted only when the case broke a part that the edge reads.
 */
const edgeStatuses: Partial<Record<Kind, number[]>> = {
  path: [200, 400, 401, 403, 404, 405, 414, 431],
  query: [400, 404, 414, 431],
  header: [400, 408, 413, 415, 417, 431],
  credential: [400, 431],
  framing: [400, 401, 403, 404, 405, 408, 411, 413, 415, 417, 431, 501],
};

/** Kinds that may end the connection without an answer, because the bytes belong to no clear request. */
const mayBeCut: Kind[] = ['framing'];

const errorSchema: Schema = {
  type: 'object',
  required: ['timestamp', 'status', 'error', 'message', 'path', 'requestId'],
};

/** 501 is right for unsupported codings of the framing. */
function isFailure(kind: Kind, status: number): boolean {
  return status >= 500 && !(kind === 'framing' && status === 501);
}

/**
 * 408 is permitted for every kind, because an overloaded machine may time out any request; the bystanders show whether
 * valid ones suffer.
 */
function mayBeEdge(kind: Kind, status: number): boolean {
  return status === 408 || (edgeStatuses[kind]?.includes(status) ?? false);
}

/** Compares exchanges with the OpenAPI document. */
export class ExchangeChecker {
  private readonly ajv = new Ajv2020({ strict: false, validateFormats: false });
  private readonly compiled = new Map<Schema, ValidateFunction>();

  /** The problem of the exchange in one short sentence; undefined when there is none. */
  problemOf(operation: Operation, kind: Kind, { answers, isSilent }: Exchange): string | undefined {
    if (isSilent) return 'no answer';
    const [answer, second] = answers;
    if (!answer) return mayBeCut.includes(kind) ? undefined : 'the connection ended without an answer';
    if (second) return `a second answer (${second.status}) to one request`;
    if (isFailure(kind, answer.status)) return `status ${answer.status}`;
    return this.answerProblem(operation, kind, answer);
  }

  private answerProblem(operation: Operation, kind: Kind, answer: RawAnswer): string | undefined {
    const described = operation.answers[answer.status];
    const problem = described ? this.bodyProblem(described, answer) : `status ${answer.status} is not described`;
    return problem !== undefined && mayBeEdge(kind, answer.status) ? this.edgeProblem(operation, answer) : problem;
  }

  /** Another resource may have answered; an error has the one error body all the same. */
  private edgeProblem({ service }: Operation, answer: RawAnswer): string | undefined {
    // Only services call internal listeners, so Node's own refusal of an unreadable request may have no body.
    const isBare = service !== 'public' && answer.body === '';
    return isBare || answer.status < 400 ? undefined : this.bodyProblem({ 'application/json': errorSchema }, answer);
  }

  private bodyProblem(media: Record<string, Schema>, { status, headers, body }: RawAnswer): string | undefined {
    const types = Object.keys(media);
    if (types.length === 0) return body === '' ? undefined : `a body with status ${status}, which has none`;
    const sent = headers['content-type']?.split(';')[0] ?? 'missing';
    const schema = media[sent];
    if (!schema) return `content type ${sent} with status ${status} is not described`;
    const problem = sent === 'application/json' ? this.jsonProblem(schema, body) : undefined;
    return problem && `body of status ${status}${problem}`;
  }

  private jsonProblem(schema: Schema, body: string): string | undefined {
    try {
      const validate = this.validatorOf(schema);
      return validate(JSON.parse(body)) ? undefined : `: ${this.ajv.errorsText(validate.errors)}`;
    } catch (error) {
      return ` is no JSON: ${(error as Error).message}`;
    }
  }

  private validatorOf(schema: Schema): ValidateFunction {
    const known = this.compiled.get(schema);
    if (known) return known;
    const made = this.ajv.compile(schema);
    this.compiled.set(schema, made);
    return made;
  }
}
