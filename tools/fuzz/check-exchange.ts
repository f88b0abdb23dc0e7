import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Kind } from './fuzz-case.ts';
import type { Operation, Schema } from './operations.ts';
import type { RawAnswer } from './raw-answers.ts';
import type { Exchange } from './raw-client.ts';

/**
 * Answers of the edge instead of an operation's: the request could not be read, is too large, came too slowly or asks for another resource than
 * the one meant. Only where the case broke what the edge reads.
 */
const edgeStatuses: Partial<Record<Kind, number[]>> = {
  path: [200, 400, 401, 403, 404, 405, 414, 431],
  query: [400, 404, 414, 431],
  header: [400, 408, 413, 415, 417, 431],
  credential: [400, 431],
  framing: [400, 401, 403, 404, 405, 408, 411, 413, 415, 417, 431, 501],
};

/** Kinds whose refusal may be the end of the connection without a word: nobody can say which request the bytes were. */
const mayBeCut: Kind[] = ['framing'];

const errorSchema: Schema = {
  type: 'object',
  required: ['timestamp', 'status', 'error', 'message', 'path', 'requestId'],
};

/** Holds exchanges against what the OpenAPI says. */
export class ExchangeChecker {
  private readonly ajv = new Ajv2020({ strict: false, validateFormats: false });
  private readonly compiled = new Map<Schema, ValidateFunction>();

  /** What is wrong with the exchange, one short sentence; undefined when nothing is. */
  problemOf(operation: Operation, kind: Kind, { answers, isSilent }: Exchange): string | undefined {
    if (isSilent) return 'no answer';
    const [answer, second] = answers;
    if (!answer) return mayBeCut.includes(kind) ? undefined : 'the connection ended without an answer';
    if (second) return `a second answer (${second.status}) to one request`;
    if (answer.status >= 500 && !(kind === 'framing' && answer.status === 501)) return `status ${answer.status}`;
    const described = operation.answers[answer.status];
    // Too slow: what a machine without time makes of any request; the canary tells whether valid ones suffer.
    const mayBeEdge = answer.status === 408 || (edgeStatuses[kind]?.includes(answer.status) ?? false);
    if (!described && !mayBeEdge) return `status ${answer.status} is not described`;
    const problem = described && this.bodyProblem(described, answer);
    return mayBeEdge && (problem || !described) ? this.edgeProblem(operation, answer) : problem;
  }

  /** Another resource may have answered; an error has the one error body all the same. */
  private edgeProblem({ service }: Operation, answer: RawAnswer): string | undefined {
    // Behind the gateway nobody but our own services calls: what Node cannot read it refuses without a body.
    const isBare = service !== 'public' && answer.body === '';
    return isBare || answer.status < 400 ? undefined : this.bodyProblem({ 'application/json': errorSchema }, answer);
  }

  private bodyProblem(media: Record<string, Schema>, { status, headers, body }: RawAnswer): string | undefined {
    const types = Object.keys(media);
    if (types.length === 0) return body === '' ? undefined : `a body with status ${status}, which has none`;
    const sent = headers['content-type']?.split(';')[0];
    const schema = sent === undefined ? undefined : media[sent];
    if (!schema) return `content type ${sent ?? 'missing'} with status ${status} is not described`;
    if (sent !== 'application/json') return undefined;
    try {
      const validate = this.validatorOf(schema);
      return validate(JSON.parse(body)) ? undefined : `body of status ${status}: ${this.ajv.errorsText(validate.errors)}`;
    } catch (error) {
      return `body of status ${status} is no JSON: ${(error as Error).message}`;
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
