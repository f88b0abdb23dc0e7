import type { InternalClient } from '@paycode/access';
import type { AuthorizeAnswer, AuthorizeRequest } from '@paycode/dto';

export class AuthorizerUnavailableError extends Error {
  constructor(cause: unknown) {
    super('auth-session gave no usable answer', { cause });
    this.name = 'AuthorizerUnavailableError';
  }
}

/** Asks auth-session once per request. A malformed answer counts as no answer, so that the gateway never forwards a request by mistake. */
export class AuthorizerClient {
  constructor(private readonly client: InternalClient) {}

  /** Rejects with AuthorizerUnavailableError when there is no usable answer: the request must then be refused. */
  async authorize(request: AuthorizeRequest): Promise<AuthorizeAnswer> {
    const answer = await this.ask(request);
    if (isAuthorizeAnswer(answer)) return answer;
    throw new AuthorizerUnavailableError(new Error('auth-session answered in an unknown form'));
  }

  /** Called by the container when the application closes. */
  onModuleDestroy(): void {
    this.client.close();
  }

  private async ask(request: AuthorizeRequest): Promise<unknown> {
    try {
      return await this.client.post<unknown>('/internal/authorize', request, { 'x-request-id': request.requestId });
    } catch (cause) {
      throw new AuthorizerUnavailableError(cause);
    }
  }
}

function isAuthorizeAnswer(answer: unknown): answer is AuthorizeAnswer {
  if (typeof answer !== 'object' || answer === null) return false;
  const fields = answer as Record<string, unknown>;
  if (fields.allowed === true) return isOptionalText(fields.identity) && isOptionalRate(fields.ratePerS);
  return fields.allowed === false && isRefusal(fields);
}

function isRefusal({ status, headers, body }: Record<string, unknown>): boolean {
  const isClientError = typeof status === 'number' && status >= 400 && status <= 499;
  return isClientError && typeof body === 'string' && typeof headers === 'object' && headers !== null;
}

function isOptionalRate(value: unknown): boolean {
  return value === undefined || (Number.isSafeInteger(value) && (value as number) > 0);
}

function isOptionalText(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}
